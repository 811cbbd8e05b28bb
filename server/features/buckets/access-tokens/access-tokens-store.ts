import { sql } from 'kysely';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import { markUsedRows } from '../../../platform/key-uses-store.ts';
import type { AccessTokenRow } from './tables.ts';

/** Inserts an access token. `writeTokenIds` has to follow. */
export async function insertAccessToken(tx: Tx, row: AccessTokenRow): Promise<void> {
  await tx.insertInto('access_tokens').values(row).execute();
}

/** Lists the tokens of a bucket that have not expired at `now` (epoch milliseconds), newest first. */
export async function listAccessTokens(
  db: Executor,
  bucketId: string,
  now: number,
): Promise<(AccessTokenRow & { key_name: string | null })[]> {
  return db
    .selectFrom('access_tokens')
    .leftJoin('api_keys', 'api_keys.id', 'access_tokens.key_id')
    .selectAll('access_tokens')
    .select('api_keys.name as key_name')
    .where('access_tokens.bucket_id', '=', bucketId)
    .where((row) =>
      row.or([
        row('access_tokens.expires_at', 'is', null),
        row('access_tokens.expires_at', '>', now),
      ]),
    )
    .orderBy('access_tokens.id', 'desc')
    .execute();
}

/** Counts the tokens of a bucket. */
export async function countAccessTokens(tx: Tx, bucketId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('access_tokens')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('bucket_id', '=', bucketId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Deletes a token of a bucket, and returns it; undefined where there is none. `writeTokenIds` has to follow. */
export async function deleteAccessToken(
  tx: Tx,
  bucketId: string,
  id: string,
): Promise<Pick<AccessTokenRow, 'name'> | undefined> {
  return tx
    .deleteFrom('access_tokens')
    .where('id', '=', id)
    .where('bucket_id', '=', bucketId)
    .returning('name')
    .executeTakeFirst();
}

/** Deletes the tokens of a bucket that have expired at `now` (epoch milliseconds). */
export async function deleteExpiredTokens(tx: Tx, bucketId: string, now: number): Promise<void> {
  await tx
    .deleteFrom('access_tokens')
    .where('bucket_id', '=', bucketId)
    .where('expires_at', '<=', now)
    .execute();
}

/** Deletes all tokens of a bucket, because its primary key is replaced. */
export async function deleteTokensOf(tx: Tx, bucketId: string): Promise<void> {
  await tx.deleteFrom('access_tokens').where('bucket_id', '=', bucketId).execute();
}

/** Copies the ids of a bucket's tokens to its row, once they have changed. The caller has locked the bucket. */
export async function writeTokenIds(tx: Tx, bucketId: string): Promise<void> {
  await tx
    .updateTable('buckets')
    .set({
      token_ids: tx
        .selectFrom('access_tokens')
        .select(sql<string | null>`string_agg(access_tokens.id, ',')`.as('ids'))
        .where('access_tokens.bucket_id', '=', bucketId),
    })
    .where('buckets.id', '=', bucketId)
    .execute();
}

/** Stores that tokens were used, except for those that another process has stored since `after`. */
export const markTokensUsed = (
  db: Executor,
  ids: string[],
  now: number,
  after: number,
): Promise<void> => markUsedRows(db, 'access_tokens', ids, { now, after });
