import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import { markUsedRows } from '../../../platform/key-uses-store.ts';
import type { ApiKeyRow } from './tables.ts';

/** Inserts an API key. */
export async function insertApiKey(tx: Executor, row: ApiKeyRow): Promise<void> {
  await tx.insertInto('api_keys').values(row).execute();
}

/** Returns the primary key of a bucket. */
export async function primaryKeyOf(db: Executor, bucketId: string): Promise<ApiKeyRow> {
  return db
    .selectFrom('api_keys')
    .selectAll()
    .where('id', '=', bucketId)
    .$call(inlineRead)
    .executeTakeFirstOrThrow();
}

/** Replaces the primary key of a bucket. */
export async function replacePrimaryKey(
  tx: Executor,
  bucketId: string,
  columns: Pick<ApiKeyRow, 'key_sealed' | 'key_hash' | 'created_at'>,
): Promise<void> {
  await tx
    .updateTable('api_keys')
    .set({ ...columns, last_used_at: null })
    .where('id', '=', bucketId)
    .execute();
}

/** Lists the keys of a bucket in the order of their ids, so that the primary one is the first. */
export async function listApiKeys(db: Executor, bucketId: string): Promise<ApiKeyRow[]> {
  return db
    .selectFrom('api_keys')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .orderBy('id')
    .execute();
}

/** Counts the keys of a bucket, with the primary one. */
export async function countApiKeys(tx: Tx, bucketId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('bucket_id', '=', bucketId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Deletes a key of a bucket, and returns it; undefined where there is none with this id but the primary one. */
export async function deleteApiKey(
  tx: Tx,
  bucketId: string,
  id: string,
): Promise<Pick<ApiKeyRow, 'name'> | undefined> {
  return tx
    .deleteFrom('api_keys')
    .where('id', '=', id)
    .where('bucket_id', '=', bucketId)
    .whereRef('id', '!=', 'bucket_id')
    .returning('name')
    .executeTakeFirst();
}

/** Stores that keys were used, except for those that another process has stored since `after`. */
export const markUsed = (db: Executor, ids: string[], now: number, after: number): Promise<void> =>
  markUsedRows(db, 'api_keys', ids, { now, after });

/** Returns the primary key of the newest bucket; undefined where there is none. */
export async function newestPrimaryKey(db: Executor): Promise<ApiKeyRow | undefined> {
  return db
    .selectFrom('buckets')
    .innerJoin('api_keys', 'api_keys.id', 'buckets.id')
    .selectAll('api_keys')
    .orderBy('buckets.id', 'desc')
    .limit(1)
    .executeTakeFirst();
}
