import { type RawBuilder, sql } from 'kysely';
import type { Statement } from '../../platform/db/batch.ts';
import { type Executor, isOnPostgres, type Tx } from '../../platform/db/port.ts';
import { prepareStatement } from '../../platform/db/prepare-statement.ts';
import type { BucketRow } from './tables.ts';

/**
 * What keeps files where they are. What changes the content of a bucket holds it together with others, so that uploads
 * don't wait for one another; what needs the bucket for itself, such as a move or the deletion, excludes them. It is an
 * advisory lock of PostgreSQL, in whose queue nobody overtakes: those who lock a row `for key share` would pass whoever
 * waits for it alone, as long as there are always some. SQLite has one writer, and needs none.
 */

/** Distinguishes these advisory locks from the others in the same database. */
const LOCK_SEED = 0x6275636b;

/** The setting of a transaction that keeps how it holds the bucket to which it uploads. */
const LOCK_MODE = sql.lit('wharf.bucket_lock');

const lockKey = (id: string) => sql`hashtextextended(cast(${id} as text), ${sql.lit(LOCK_SEED)})`;
const alone = (id: string) => sql`cast(pg_advisory_xact_lock(${lockKey(id)}) as text)`;
const shared = (id: string) => sql`cast(pg_advisory_xact_lock_shared(${lockKey(id)}) as text)`;

/**
 * Locks a bucket until the transaction ends, so that nothing is added to it or removed from it meanwhile, and its row
 * stays as it is. Returns its status; undefined where it does not exist.
 */
export async function lockBucket(tx: Tx, id: string): Promise<BucketRow['status'] | undefined> {
  if (isOnPostgres(tx)) await sql`select ${alone(id)}`.execute(tx);
  const query = tx.selectFrom('buckets').select('status').where('id', '=', id);
  const row = await (isOnPostgres(tx) ? query.forUpdate() : query).executeTakeFirst();
  return row?.status;
}

/**
 * Locks a user's buckets in the same way, in the order of their ids, but for those that are being deleted. Returns their
 * ids.
 */
export async function lockBucketsOf(tx: Tx, userId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('buckets')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', '!=', 'deleting')
    .orderBy('id')
    .execute();
  const ids: string[] = [];
  for (const { id } of rows) {
    const status = await lockBucket(tx, id);
    if (status !== undefined && status !== 'deleting') ids.push(id);
  }
  return ids;
}

/**
 * Holds a bucket together with others until the transaction ends, and returns its owner; undefined where it does not
 * exist.
 */
export async function shareBucket(
  tx: Tx,
  id: string,
): Promise<Pick<BucketRow, 'id' | 'user_id'> | undefined> {
  return (await share(tx, { id })).rows[0];
}

const share = prepareStatement((tx, { id }: { id: string }) => {
  const query = tx.selectFrom('buckets').select(['id', 'user_id']).where('id', '=', id);
  return isOnPostgres(tx) ? query.where(sql<boolean>`${shared(id)} is not null`) : query;
});

/**
 * Returns the statements that hold a bucket for an upload, which `isHeldFor` then judges: alone where the bytes of the
 * bucket are limited, as no other upload may then count them meanwhile.
 */
export const uploadLock = (db: Executor, id: string): Statement[] =>
  isOnPostgres(db) ? [{ query: lockForUpload.query(db, { id }) }] : [];

const lockForUpload = prepareStatement(
  (_db, { id }: { id: string }) => sql`
    select set_config(${LOCK_MODE}, case
      when exists (select 1 from buckets where id = ${id} and storage_limit is not null)
      then 'alone' || ${alone(id)} else 'shared' || ${shared(id)} end, true)`,
);

/**
 * Returns a condition that holds where a transaction has its bucket alone. A limit that was set while it waited for
 * others finds it with a lock that it shares.
 */
export const isHeldAlone = (db: Executor): RawBuilder<boolean> =>
  isOnPostgres(db) ? sql`current_setting(${LOCK_MODE}, true) = 'alone'` : sql`1 = 1`;
