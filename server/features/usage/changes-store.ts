import { sql } from 'kysely';
import { DAY } from '../../contract/limits.ts';
import { runStatements, type Statement } from '../../platform/db/batch.ts';
import { type Executor, isOnPostgres, type Tx } from '../../platform/db/port.ts';
import { prepareStatement } from '../../platform/db/prepare-statement.ts';
import {
  accountsOf,
  type BucketChange,
  bucketsOf,
  daysOf,
  hoursOf,
  type UsageChange,
  withoutBucket,
} from './changes.ts';
import { accountAddition, addToAccountStats } from './stats-store.ts';
import { addToDays, addToHours, dayAddition, hourAddition } from './store.ts';
import type { UsageChangeRow, UsageDayRow } from './tables.ts';

/** Distinguishes this advisory lock from the others in the same database. */
const FOLD_LOCK = sql.lit(0x666f6c64);

/**
 * Returns the statements that count a change of a bucket, which the transaction keeps from being deleted. On PostgreSQL
 * it is appended, and folded later, so that uploads to one bucket don't wait for one another. SQLite runs one
 * transaction after the other, and adds it at once.
 */
export const changeStatements = (db: Executor, change: UsageChangeRow): Statement[] =>
  isOnPostgres(db)
    ? [{ query: append.query(db, change) }]
    : [
        ...bucketsOf([change]).map((row) => ({ query: addToBucket.query(db, row) })),
        ...hoursOf([change]).map((row) => hourAddition(db, row)),
        ...daysOf([change]).map((row) => dayAddition(db, row)),
        ...accountsOf([change]).map((row) => accountAddition(db, row.user_id, row.stored)),
      ];

const append = prepareStatement((db, change: UsageChangeRow) =>
  db.insertInto('usage_changes').values(change),
);

const addToBucket = prepareStatement((db, { id, files, bytes }: BucketChange) =>
  db
    .updateTable('buckets')
    .set((row) => ({
      usage: row('usage', '+', bytes),
      total_uploads: row('total_uploads', '+', files),
    }))
    .where('id', '=', id),
);

/** Selects the hours that are not charged yet, with the changes that are not folded; an hour can have many rows. */
export const openHours = sql`
  (select user_id, bucket_id, hour, bandwidth, uploaded, stored_change, stored_gib_ms, stored_byte_ms
    from usage_hours
  union all
  select user_id, bucket_id, hour, 0, uploaded, stored_change, stored_gib_ms, stored_byte_ms
    from usage_changes)`;

/** Selects the days of buckets with the changes that are not folded; a day can have many rows. */
export const allDays = sql<UsageDayRow>`
  (select bucket_id, day, bandwidth, uploaded, stored, kept, removed, requests, cached_requests
    from usage_days
  union all
  select bucket_id, hour - hour % ${sql.lit(DAY)}, 0, uploaded, stored_change, 0, removed, 0, 0
    from usage_changes
  union all
  select bucket_id, kept_day, 0, 0, 0, kept, 0, 0, 0 from usage_changes)`;

/** Returns buckets with changes that are not folded, in the order of their ids, which come after one. */
export async function changedBuckets(
  db: Executor,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('usage_changes')
    .select('bucket_id')
    .distinct()
    .where('bucket_id', '>', after)
    .orderBy('bucket_id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.bucket_id);
}

/** How many buckets are looked at for the oldest change. Where more have changes, nothing is being folded. */
const MAX_LOOKED_AT = 10_000;

/**
 * Returns the id of the oldest change that is not folded; undefined where there is none. The index is searched for the
 * first change of each bucket, so that the others are not read however many there are.
 */
export async function oldestChange(db: Executor): Promise<string | undefined> {
  const { rows } = await sql<{ id: string | null }>`
    with recursive changed(bucket_id) as (
      select ''
      union all
      select (
        select bucket_id from usage_changes where bucket_id > changed.bucket_id
        order by bucket_id limit 1
      ) from changed where changed.bucket_id is not null
    ), looked_at as (select bucket_id from changed limit ${sql.lit(MAX_LOOKED_AT)})
    select min((
      select id from usage_changes where bucket_id = looked_at.bucket_id order by id limit 1
    )) as id from looked_at`.execute(db);
  return rows[0]?.id ?? undefined;
}

/**
 * Keeps other processes from folding until the transaction ends. Returns false where one does already and `waits` is
 * false.
 */
export async function lockFolding(tx: Tx, { waits }: { waits: boolean }): Promise<boolean> {
  if (!isOnPostgres(tx)) return true;
  const { rows } = await (waits
    ? sql<{ locked: boolean }>`select pg_advisory_xact_lock(${FOLD_LOCK}) is not null as locked`
    : sql<{ locked: boolean }>`select pg_try_advisory_xact_lock(${FOLD_LOCK}) as locked`
  ).execute(tx);
  return rows[0]?.locked ?? false;
}

/**
 * Adds the changes of buckets to them, to their hours and to their days, each once. Buckets whose rows others have locked
 * are passed over where `skipsLocked` is true. Returns those.
 */
export async function foldBuckets(
  tx: Tx,
  ids: string[],
  { skipsLocked = false }: { skipsLocked?: boolean } = {},
): Promise<string[]> {
  // SQLite has no changes that are not folded.
  if (ids.length === 0 || !isOnPostgres(tx)) return [];
  const query = tx.selectFrom('buckets').select('id').where('id', 'in', ids);
  // Who folds a bucket, or deletes it, has its row alone, and so all of its changes that are committed.
  const lock = query.orderBy('id').forNoKeyUpdate();
  const locked = idsOf(await (skipsLocked ? lock.skipLocked() : lock).execute());
  const existing = skipsLocked ? idsOf(await query.execute()) : locked;
  const passed = ids.filter((id) => existing.has(id) && !locked.has(id));
  const taken = await takeChanges(
    tx,
    ids.filter((id) => !passed.includes(id)),
  );
  const changes = taken.map((row) => (existing.has(row.bucket_id) ? row : withoutBucket(row)));
  await runStatements(
    tx,
    bucketsOf(changes).map((row) => ({ query: addToBucket.query(tx, row) })),
  );
  await addToHours(tx, hoursOf(changes));
  await addToDays(tx, daysOf(changes));
  await addToAccountStats(tx, accountsOf(changes));
  return passed;
}

const idsOf = (rows: { id: string }[]) => new Set(rows.map(({ id }) => id));

/** Deletes the changes of buckets, and returns their sums by hour and by day of what is kept. */
async function takeChanges(tx: Tx, bucketIds: string[]): Promise<UsageChange[]> {
  if (bucketIds.length === 0) return [];
  const { rows } = await sql<UsageChange>`
    with taken as (
      delete from usage_changes where bucket_id in (${sql.join(bucketIds)}) returning *
    )
    select user_id, bucket_id, hour, kept_day, sum(files) as files, sum(uploaded) as uploaded,
      sum(stored_change) as stored_change, sum(stored_gib_ms) as stored_gib_ms,
      sum(stored_byte_ms) as stored_byte_ms, sum(kept) as kept, sum(removed) as removed
    from taken group by user_id, bucket_id, hour, kept_day`.execute(tx);
  return rows;
}
