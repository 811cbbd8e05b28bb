import { conflict, notFound } from '../../../errors.ts';
import { type Actor, quoted } from '../../../platform/audit/record.ts';
import { runStatements } from '../../../platform/db/batch.ts';
import type { Tx } from '../../../platform/db/port.ts';
import type { Bucket, Buckets } from '../../buckets/service.ts';
import { type AnnouncementDeps, announceChanges } from '../announce-change.ts';
import type { FileDeletion } from '../file-deletion.ts';
import { keptName } from '../names.ts';
import { type FileWithRegion, fileById, filesByIds } from '../store.ts';
import { fileAt, movement, takenPaths } from './insertion-store.ts';

/** What to do where another file is at the new path. */
export type MoveConflict = 'replace' | 'error';

/** Returns the error for a path that another file has. */
export const pathTaken = () => conflict('Another file is at this path.', 'path-taken');

type Deps = AnnouncementDeps & {
  buckets: Pick<Buckets, 'contents'>;
  deletion: Pick<FileDeletion, 'deleteIn'>;
};

type Move = { path: string; onConflict: MoveConflict; actor: Actor };

/** Moves files to other paths. Their ids, bytes and addresses by id stay. */
export class Moves {
  constructor(private readonly deps: Deps) {}

  /**
   * Moves a file in a transaction, and names it as the path ends. Throws not-found, path-taken, before it has changed
   * anything.
   */
  async moveIn(
    tx: Tx,
    bucket: Bucket,
    fileId: string,
    { path, onConflict, actor }: Move,
  ): Promise<void> {
    const { buckets, deletion } = this.deps;
    // Uploads take their paths under the same lock.
    await buckets.contents.lock(tx, bucket.id);
    const before = await fileById(tx, fileId);
    if (before?.bucket_id !== bucket.id) throw notFound('File');
    if (before.path === path) return;
    const other = await fileAt(tx, bucket.id, path);
    if (other !== undefined) {
      if (onConflict === 'error') throw pathTaken();
      await deletion.deleteIn(tx, bucket, other, actor, { cause: 'replaced' });
    }
    await this.moveFreely(tx, bucket, [{ before, path }], actor);
  }

  /**
   * Moves files in a transaction that has locked their bucket, but for those whose new paths are taken, and for those that
   * are gone. Returns the paths that are taken.
   */
  async moveAllIn(
    tx: Tx,
    bucket: Bucket,
    moves: { id: string; path: string }[],
    actor: Actor,
  ): Promise<Set<string>> {
    const paths = moves.map(({ path }) => path);
    const taken = await takenPaths(tx, bucket.id, paths);
    const free = new Map(moves.flatMap(({ id, path }) => (taken.has(path) ? [] : [[id, path]])));
    const rows = await filesByIds(tx, [...free.keys()]);
    const found = rows.map((row) => ({
      before: { ...row, region: bucket.region },
      path: free.get(row.id) ?? row.path,
    }));
    await this.moveFreely(tx, bucket, found, actor);
    return taken;
  }

  /** Moves files to paths that are free. */
  private async moveFreely(
    tx: Tx,
    bucket: Bucket,
    moves: { before: FileWithRegion; path: string }[],
    actor: Actor,
  ): Promise<void> {
    const changes = moves.map(({ before, path }) => ({
      row: { ...before, path, name: keptName(path, before.name) },
      message: `File ${quoted(before.path)} moved to ${quoted(path)}.`,
    }));
    const movements = changes.flatMap(({ row }, n) =>
      movement(tx, moves[n]?.before ?? row, { path: row.path, name: row.name }),
    );
    await runStatements(tx, movements);
    const left = moves.map(({ before }) => before.path);
    await this.deps.buckets.contents.excludePaths(tx, bucket.id, left);
    const how = { type: 'file.moved', actor } as const;
    await announceChanges(tx, bucket, changes, how, this.deps);
  }
}
