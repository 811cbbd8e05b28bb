import { sql } from 'kysely';
import { deleteRows, olderThan } from '../../../platform/db/delete-rows.ts';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import { behindFolder } from '../paths/bounds.ts';
import type { FileRow, FolderJobFailureRow, FolderJobRow } from '../tables.ts';

/** Inserts a job. */
export async function insertJob(tx: Tx, job: FolderJobRow): Promise<void> {
  await tx.insertInto('folder_jobs').values(job).execute();
}

/** Returns a job; undefined where there is none. */
export async function jobById(db: Executor, id: string): Promise<FolderJobRow | undefined> {
  return db.selectFrom('folder_jobs').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns the last jobs of a bucket, the newest first. */
export async function jobsOf(
  db: Executor,
  bucketId: string,
  limit: number,
): Promise<FolderJobRow[]> {
  return db
    .selectFrom('folder_jobs')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Returns the files that jobs could not change, as far as they are named, in the order of their paths. */
export async function failuresOf(db: Executor, jobIds: string[]): Promise<FolderJobFailureRow[]> {
  if (jobIds.length === 0) return [];
  return db
    .selectFrom('folder_job_failures')
    .selectAll()
    .where('job_id', 'in', jobIds)
    .orderBy('job_id')
    .orderBy('path')
    .execute();
}

/** Names files that a job could not change. */
export async function insertFailures(tx: Tx, failures: FolderJobFailureRow[]): Promise<void> {
  if (failures.length === 0) return;
  await tx.insertInto('folder_job_failures').values(failures).execute();
}

/** Returns the running job of a bucket; undefined where there is none. */
export async function runningJobOf(db: Executor, bucketId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('folder_jobs')
    .select('id')
    .where('bucket_id', '=', bucketId)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return row?.id;
}

/** Whether an account has at least `limit` running jobs. */
export async function hasRunningJobs(
  db: Executor,
  userId: string,
  limit: number,
): Promise<boolean> {
  const rows = await db
    .selectFrom('folder_jobs')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', '=', 'running')
    .offset(limit - 1)
    .limit(1)
    .execute();
  return rows.length > 0;
}

/** Stores how far a job is that runs and was at `from`. Returns false where it has ended, or another process is at it. */
export async function advanceJob(
  tx: Tx,
  { id, position: from }: Pick<FolderJobRow, 'id' | 'position'>,
  { position, done, conflicts }: Pick<FolderJobRow, 'position' | 'done' | 'conflicts'>,
): Promise<boolean> {
  const result = await tx
    .updateTable('folder_jobs')
    .set({ position, done, conflicts })
    .where('id', '=', id)
    .where('position', '=', from)
    .where('status', '=', 'running')
    .executeTakeFirstOrThrow();
  return result.numUpdatedRows === 1n;
}

/** Returns the ids of jobs that run, behind another one in the order of their buckets. */
export async function runningJobs(
  db: Executor,
  after: string,
  limit: number,
): Promise<Pick<FolderJobRow, 'id' | 'bucket_id'>[]> {
  return db
    .selectFrom('folder_jobs')
    .select(['id', 'bucket_id'])
    .where('ended_at', 'is', null)
    .where('bucket_id', '>', after)
    .orderBy('bucket_id')
    .limit(limit)
    .$call(inlineRead)
    .execute();
}

/** Ends a job that runs, under the lock of its bucket. */
export async function endJob(
  tx: Tx,
  id: string,
  status: 'completed' | 'stopped',
  endedAt: number,
): Promise<void> {
  const end = { status, ended_at: endedAt };
  await tx.updateTable('folder_jobs').set(end).where('id', '=', id).execute();
}

/** Deletes the jobs that ended before a time. */
export const deleteEndedJobs = (db: Executor, before: number, signal: AbortSignal) =>
  deleteRows(db, 'folder_jobs', olderThan('ended_at', before), signal);

export type FolderRow = Pick<FileRow, 'id' | 'path' | 'file_type'>;

/** Returns the rows of a folder behind a path, in the order of paths, but for those that came after the job. */
export async function rowsBehind(
  tx: Tx,
  job: Pick<FolderJobRow, 'bucket_id' | 'source' | 'position' | 'created_at'>,
  limit: number,
): Promise<(FolderRow & { isNewer: boolean })[]> {
  const { bucket_id, source, position, created_at } = job;
  const end = behindFolder(source);
  const { rows } = await sql<FolderRow & { created_at: number }>`
    select id, path, file_type, created_at from files
    where bucket_id = ${bucket_id} and superseded_at is null and path >= ${position} and path < ${end}
    order by path limit ${limit}`.execute(tx);
  return rows.map(({ created_at: at, ...row }) => ({ ...row, isNewer: at > created_at }));
}

/** Moves the row of a folder that was created. */
export async function moveMarker(tx: Tx, id: string, path: string): Promise<void> {
  await tx.updateTable('files').set({ path, name: path }).where('id', '=', id).execute();
}
