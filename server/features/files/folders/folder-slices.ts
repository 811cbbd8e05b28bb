import { AppError } from '../../../errors.ts';
import type { Tx } from '../../../platform/db/port.ts';
import type { Bucket } from '../../buckets/service.ts';
import type { FileDeletion } from '../file-deletion.ts';
import { behindPath } from '../paths/bounds.ts';
import { fileAt } from '../paths/insertion-store.ts';
import { type Moves, pathTaken } from '../paths/moves.ts';
import { requirePath } from '../paths/paths.ts';
import type { FolderJobFailureRow, FolderJobRow } from '../tables.ts';
import { type FolderRow, insertFailures, moveMarker, rowsBehind } from './job-store.ts';
import { deleteMarker } from './marker-store.ts';

/** So many files that a job could not change are named; the others are only counted. */
const MAX_FAILURES = 100;
/** Uploads to the bucket wait for a slice. Files that move take a few statements, which go together, and others a dozen. */
const SLICE_SIZES = { move: 64, delete: 32 };

export type SliceDeps = {
  deletion: Pick<FileDeletion, 'deleteIn'>;
  moves: Pick<Moves, 'moveAllIn'>;
};

type Slice = { job: FolderJobRow; isLast: boolean };

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
  const limit = job.target === null ? SLICE_SIZES.delete : SLICE_SIZES.move;
  const rows = await rowsBehind(tx, job, limit);
  const changed = rows.filter(({ isNewer }) => !isNewer);
  const folders = changed.filter(({ file_type }) => file_type === 'folder');
  const files = changed.filter(({ file_type }) => file_type !== 'folder');
  const { target } = job;
  const failed = await failuresAmong(folders, (folder) =>
    changeMarker(tx, bucket, folder.id, target && pathIn(target, job, folder)),
  );
  const stayed =
    target === null
      ? await deleteFiles(tx, bucket, job, { files, deps })
      : await moveFiles(tx, bucket, { ...job, target }, { files, deps });
  const all = [...failed, ...stayed];
  const failures = all.flatMap(({ path, error }, n) =>
    failuresFor({ id: job.id, conflicts: job.conflicts + n }, path, error),
  );
  await insertFailures(tx, failures);
  const last = rows.at(-1);
  const position = last ? behindPath(last.path) : job.position;
  const done = job.done + changed.length - all.length;
  const conflicts = job.conflicts + all.length;
  return { job: { ...job, done, conflicts, position }, isLast: rows.length < limit };
}

/** A file that could not be changed, and why. */
type Failure = { path: string; error: AppError };
type Change = { files: FolderRow[]; deps: SliceDeps };

const pathIn = (target: string, { source }: Pick<FolderJobRow, 'source'>, { path }: FolderRow) =>
  target + path.slice(source.length);

/** Works on rows one after the other, and returns those that could not be changed. */
async function failuresAmong(
  rows: FolderRow[],
  work: (row: FolderRow) => unknown,
): Promise<Failure[]> {
  const failed: Failure[] = [];
  for (const row of rows) {
    try {
      await work(row);
    } catch (error) {
      if (!(error instanceof AppError) || ![409, 422].includes(error.status)) throw error;
      failed.push({ path: row.path, error });
    }
  }
  return failed;
}

const deleteFiles = (tx: Tx, bucket: Bucket, job: FolderJobRow, { files, deps }: Change) =>
  failuresAmong(files, ({ id }) => deps.deletion.deleteIn(tx, bucket, id, JSON.parse(job.actor)));

async function moveFiles(
  tx: Tx,
  bucket: Bucket,
  job: FolderJobRow & { target: string },
  { files, deps }: Change,
): Promise<Failure[]> {
  const moves: { id: string; path: string; from: string }[] = [];
  const failed = await failuresAmong(files, (file) => {
    const path = requirePath(pathIn(job.target, job, file));
    moves.push({ id: file.id, path, from: file.path });
  });
  const taken = await deps.moves.moveAllIn(tx, bucket, moves, JSON.parse(job.actor));
  const stayed = moves.filter(({ path }) => taken.has(path));
  const conflicts = stayed.map(({ from }) => ({ path: from, error: pathTaken() }));
  return [...failed, ...conflicts];
}

/** Returns the row that names a file which a job could not change; none where enough are named. */
export const failuresFor = (
  { id, conflicts }: Pick<FolderJobRow, 'id' | 'conflicts'>,
  path: string,
  { code, text }: AppError,
): FolderJobFailureRow[] =>
  conflicts < MAX_FAILURES ? [{ job_id: id, path, code, message: text }] : [];

async function changeMarker(tx: Tx, bucket: Bucket, id: string, path: string | null) {
  if (path !== null) requirePath(path.slice(0, -1));
  // One that was created there already is enough.
  const isNeeded = path !== null && (await fileAt(tx, bucket.id, path)) === undefined;
  await (isNeeded ? moveMarker(tx, id, path) : deleteMarker(tx, id));
}
