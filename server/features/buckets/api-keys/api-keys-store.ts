import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor } from '../../../platform/db/port.ts';
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
