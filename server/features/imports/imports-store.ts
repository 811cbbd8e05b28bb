import { inlineRead } from '../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../platform/db/port.ts';
import type { S3ImportFailureRow, S3ImportRow } from './tables.ts';

/** Inserts an import. Returns false where another one of the account is running. */
export async function insertImport(db: Executor, row: S3ImportRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('s3_imports')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Returns an import; undefined where there is none. */
export async function importById(db: Executor, id: string): Promise<S3ImportRow | undefined> {
  return db.selectFrom('s3_imports').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns the last imports into a bucket, the newest first. */
export async function importsOf(
  db: Executor,
  bucketId: string,
  limit: number,
): Promise<S3ImportRow[]> {
  return db
    .selectFrom('s3_imports')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Returns the objects that imports could not copy, as far as they are named, in the order of their keys. */
export async function failuresOf(db: Executor, ids: string[]): Promise<S3ImportFailureRow[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('s3_import_failures')
    .selectAll()
    .where('import_id', 'in', ids)
    .orderBy('import_id')
    .orderBy('key')
    .execute();
}

/** Returns the ids of imports that run and that no process is at. */
export async function dueImports(db: Executor, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('s3_imports')
    .select('id')
    .where('ended_at', 'is', null)
    .where('leased_until', '<=', now)
    .orderBy('leased_until')
    .limit(limit)
    .$call(inlineRead)
    .execute();
  return rows.map(({ id }) => id);
}

/** Gives back the imports of processes that have ended. */
export async function releaseImports(db: Executor, now: number): Promise<void> {
  await db
    .updateTable('s3_imports')
    .set({ leased_until: now })
    .where('ended_at', 'is', null)
    .where('leased_until', '>', now)
    .execute();
}

type Lease = Pick<S3ImportRow, 'id' | 'lease'>;

/** Takes an import that no process is at, and returns it; undefined where one is, or it has ended. */
export async function claimImport(
  db: Executor,
  { id, lease }: Lease,
  { now, until }: { now: number; until: number },
): Promise<S3ImportRow | undefined> {
  return db
    .updateTable('s3_imports')
    .set({ lease, leased_until: until })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .where('leased_until', '<=', now)
    .returningAll()
    .executeTakeFirst();
}

type Change = Partial<
  Pick<
    S3ImportRow,
    | 'position'
    | 'copied'
    | 'skipped'
    | 'failed'
    | 'bytes'
    | 'error'
    | 'failing_since'
    | 'leased_until'
    | 'status'
    | 'ended_at'
    | 'secret_sealed'
  >
>;

/** Changes an import that a process is at. Returns false where it has ended, or another process has taken it. */
export async function changeImport(
  db: Executor,
  { id, lease }: Lease,
  change: Change,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('s3_imports')
    .set(change)
    .where('id', '=', id)
    .where('lease', '=', lease)
    .where('status', '=', 'running')
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Stops an import, whichever process is at it. Its secret goes with it. */
export async function stopImport(db: Executor, id: string, endedAt: number): Promise<void> {
  await db
    .updateTable('s3_imports')
    .set({ status: 'stopped', ended_at: endedAt, secret_sealed: '' })
    .where('id', '=', id)
    .where('status', '=', 'running')
    .execute();
}

/** Names objects that could not be copied. One that is named already stays so. */
export async function insertFailures(tx: Tx, failures: S3ImportFailureRow[]): Promise<void> {
  if (failures.length === 0) return;
  await tx
    .insertInto('s3_import_failures')
    .values(failures)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Deletes at most `limit` imports that ended before a moment, and returns how many. */
export async function deleteEndedImports(
  db: Executor,
  before: number,
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('s3_imports')
    .where('id', 'in', (from) =>
      from
        .selectFrom('s3_imports')
        .select('id')
        .where('ended_at', 'is not', null)
        .where('ended_at', '<', before)
        .orderBy('ended_at')
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Deletes the imports into a bucket that have ended, but for the newest `kept`. */
export async function deleteOldImports(
  db: Executor,
  bucketId: string,
  kept: number,
): Promise<void> {
  await db
    .deleteFrom('s3_imports')
    .where('bucket_id', '=', bucketId)
    .where('ended_at', 'is not', null)
    .where('id', 'not in', (from) =>
      from
        .selectFrom('s3_imports')
        .select('id')
        .where('bucket_id', '=', bucketId)
        .orderBy('id', 'desc')
        .limit(kept),
    )
    .execute();
}
