import { AppError } from '../../../errors.ts';
import type { Actor } from '../../../platform/audit/record.ts';
import type { Tx } from '../../../platform/db/port.ts';
import type { Bucket } from '../../buckets/service.ts';
import type { FileDeletion } from '../file-deletion.ts';
import type { Moves } from '../paths/moves.ts';
import { requirePath } from '../paths/paths.ts';
import type { FolderJobFailureRow, FolderJobRow } from '../tables.ts';
import { type FolderRow, insertFailures, moveMarker, rowsBehind } from './job-store.ts';
import { deleteMarker, markerAt } from './marker-store.ts';

/** So many files that a job could not change are named; the others are only counted. */
const MAX_FAILURES = 100;
/** Each file takes some ten statements, and uploads to the bucket wait for a slice. */
const SLICE_SIZE = 32;

export type SliceDeps = {
  deletion: Pick<FileDeletion, 'deleteIn'>;
  moves: Pick<Moves, 'moveIn'>;
};

type Slice = {
  job: FolderJobRow;
  isLast: boolean;
  /** The functions to call after the commit. */
  finish: (() => void)[];
};

/**
 * Moves or deletes the next files of a folder, in the order of their paths. What can't be moved, as another file is at
 * its new path, stays where it is and is counted; so does what came after the job.
 */
export async function changeSlice(
  tx: Tx,
  bucket: Bucket,
  job: FolderJobRow,
  deps: SliceDeps,
): Promise<Slice> {
  const rows = await rowsBehind(tx, job, SLICE_SIZE);
  const finish: (() => void)[] = [];
  const failures: FolderJobFailureRow[] = [];
  let { done, conflicts, position } = job;
  for (const row of rows) {
    // No path has a control character, so this is behind the path, and before the next one.
    position = `${row.path}\u0001`;
    if (row.isNewer) continue;
    try {
      finish.push(...(await changeRow(tx, bucket, job, { row, deps })));
      done += 1;
    } catch (error) {
      if (!(error instanceof AppError) || ![409, 422].includes(error.status)) throw error;
      failures.push(...failuresFor({ id: job.id, conflicts }, row.path, error));
      conflicts += 1;
    }
  }
  await insertFailures(tx, failures);
  const isLast = rows.length < SLICE_SIZE;
  return { job: { ...job, done, conflicts, position }, isLast, finish };
}

/** Returns the row that names a file which a job could not change; none where enough are named. */
export const failuresFor = (
  { id, conflicts }: Pick<FolderJobRow, 'id' | 'conflicts'>,
  path: string,
  { code, text }: AppError,
): FolderJobFailureRow[] =>
  conflicts < MAX_FAILURES ? [{ job_id: id, path, code, message: text }] : [];

async function changeRow(
  tx: Tx,
  bucket: Bucket,
  job: FolderJobRow,
  { row, deps }: { row: FolderRow; deps: SliceDeps },
): Promise<(() => void)[]> {
  const actor: Actor = JSON.parse(job.actor);
  const path = job.target === null ? null : job.target + row.path.slice(job.source.length);
  if (row.file_type === 'folder') {
    await changeMarker(tx, bucket, row.id, path);
    return [];
  }
  if (path === null) {
    const finish = await deps.deletion.deleteIn(tx, bucket, row.id, actor);
    return finish ? [finish] : [];
  }
  const move = { path: requirePath(path), onConflict: 'error', actor } as const;
  return (await deps.moves.moveIn(tx, bucket, row.id, move)).finish;
}

async function changeMarker(tx: Tx, bucket: Bucket, id: string, path: string | null) {
  if (path !== null) requirePath(path.slice(0, -1));
  // One that was created there already is enough.
  const isNeeded = path !== null && (await markerAt(tx, bucket.id, path)) === undefined;
  await (isNeeded ? moveMarker(tx, id, path) : deleteMarker(tx, id));
}
