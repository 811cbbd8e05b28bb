import type { FileWire } from '../../../contract/wire.ts';
import { conflict, notFound } from '../../../errors.ts';
import { type Actor, quoted, record } from '../../../platform/audit/record.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import type { Events } from '../../../platform/events/port.ts';
import type { Bucket, Buckets, Webhooks } from '../../buckets/service.ts';
import type { FileDeletion } from '../file-deletion.ts';
import { FILE_EVENTS, type FileAddresses, fileEvent, NO_WORK, toFileWire } from '../file-wire.ts';
import { keptName } from '../names.ts';
import { type FileWithRegion, fileById } from '../store.ts';
import { fileAt, movePath } from './insertion-store.ts';

/** What to do where another file is at the new path. */
export type MoveConflict = 'replace' | 'error';

type Deps = FileAddresses & {
  database: Database;
  clock: Clock;
  events: Events;
  buckets: Pick<Buckets, 'contents'>;
  webhooks: Pick<Webhooks, 'announce'>;
  deletion: Pick<FileDeletion, 'deleteIn'>;
};

type Move = { path: string; onConflict: MoveConflict; actor: Actor };

/** Moves files to other paths. Their ids, bytes and addresses by id stay. */
export class Moves {
  constructor(private readonly deps: Deps) {}

  /** Moves a file, and names it as the path ends. Throws not-found, path-taken. */
  async moveFile(bucket: Bucket, fileId: string, move: Move): Promise<FileWire> {
    const { row, finish } = await this.deps.database.transaction((tx) =>
      this.moveIn(tx, bucket, fileId, move),
    );
    for (const tell of finish) tell();
    return toFileWire(row, NO_WORK, this.deps);
  }

  private async moveIn(
    tx: Tx,
    bucket: Bucket,
    fileId: string,
    { path, onConflict, actor }: Move,
  ): Promise<{ row: FileWithRegion; finish: (() => void)[] }> {
    const { clock, events, buckets, webhooks, deletion } = this.deps;
    // Uploads take their paths under the same lock.
    await buckets.contents.lock(tx, bucket.id);
    const before = await fileById(tx, fileId);
    if (before?.bucket_id !== bucket.id) throw notFound('File');
    if (before.path === path) return { row: before, finish: [] };
    const other = await fileAt(tx, bucket.id, path);
    if (other !== undefined && onConflict === 'error') {
      throw conflict('Another file is at this path.', 'path-taken');
    }
    const replaced = other === undefined ? null : await deletion.deleteIn(tx, bucket, other, actor);
    const name = keptName(path, before.name);
    await movePath(tx, fileId, { path, name });
    const row = { ...before, path, name };
    await webhooks.announce(tx, bucket.id, [
      { type: 'file.moved', file: toFileWire(row, NO_WORK, this.deps) },
    ]);
    await record(tx, clock(), {
      section: 'files',
      action: 'file.moved',
      message: `File ${quoted(before.path)} moved to ${quoted(path)}.`,
      actor,
      subject: fileId,
      details: { bucket: bucket.id },
    });
    const subject = { id: fileId, bucketId: bucket.id, userId: bucket.user_id };
    const event = fileEvent('file.moved', subject, row.status, 100);
    const publish = await events.publishIn(tx, FILE_EVENTS, event);
    return { row, finish: [...(replaced ? [replaced] : []), publish] };
  }
}
