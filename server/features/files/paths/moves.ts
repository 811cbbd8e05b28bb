import { conflict, notFound } from '../../../errors.ts';
import { type Actor, quoted } from '../../../platform/audit/record.ts';
import type { Tx } from '../../../platform/db/port.ts';
import type { Bucket, Buckets } from '../../buckets/service.ts';
import { type AnnouncementDeps, announceChange } from '../announce-change.ts';
import type { FileDeletion } from '../file-deletion.ts';
import { keptName } from '../names.ts';
import { type FileWithRegion, fileById } from '../store.ts';
import { fileAt, movePath } from './insertion-store.ts';

/** What to do where another file is at the new path. */
export type MoveConflict = 'replace' | 'error';

type Deps = AnnouncementDeps & {
  buckets: Pick<Buckets, 'contents'>;
  deletion: Pick<FileDeletion, 'deleteIn'>;
};

type Move = { path: string; onConflict: MoveConflict; actor: Actor };

/** Moves files to other paths. Their ids, bytes and addresses by id stay. */
export class Moves {
  constructor(private readonly deps: Deps) {}

  /**
   * Moves a file in a transaction, and names it as the path ends. Returns the file as it then is, and the functions
   * to call after the commit. Throws not-found, path-taken, before it has changed anything.
   */
  async moveIn(
    tx: Tx,
    bucket: Bucket,
    fileId: string,
    { path, onConflict, actor }: Move,
  ): Promise<{ row: FileWithRegion; finish: (() => void)[] }> {
    const { buckets, deletion } = this.deps;
    // Uploads take their paths under the same lock.
    await buckets.contents.lock(tx, bucket.id);
    const before = await fileById(tx, fileId);
    if (before?.bucket_id !== bucket.id) throw notFound('File');
    if (before.path === path) return { row: before, finish: [] };
    const other = await fileAt(tx, bucket.id, path);
    if (other !== undefined && onConflict === 'error') {
      throw conflict('Another file is at this path.', 'path-taken');
    }
    const replaced =
      other === undefined
        ? null
        : await deletion.deleteIn(tx, bucket, other, actor, { cause: 'replaced' });
    const name = keptName(path, before.name);
    await movePath(tx, before, { path, name });
    const row = { ...before, path, name };
    const message = `File ${quoted(before.path)} moved to ${quoted(path)}.`;
    const announcement = { type: 'file.moved', message, actor } as const;
    const publish = await announceChange(tx, bucket, row, announcement, this.deps);
    return { row, finish: [...(replaced ? [replaced] : []), publish] };
  }
}
