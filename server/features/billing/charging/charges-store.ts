import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { BilledBucketRow, PriceRow } from '../tables.ts';
import type { Split } from './pricing.ts';

/** How many ids one statement names, as both engines bound the number of its parameters. */
const OWNER_BATCH_SIZE = 500;

/** Returns the hour up to which all buckets are charged, in epoch milliseconds. */
export async function chargedUntil(db: Executor): Promise<number> {
  const row = await db.selectFrom('charging').select('charged_until').executeTakeFirstOrThrow();
  return row.charged_until;
}

/**
 * Acquires the lease of the round of charges until `until`, also over the process's `own` earlier
 * lease. Returns false while another process holds it. All times are in epoch milliseconds.
 */
export async function acquireLease(
  db: Executor,
  { now, until, own }: { now: number; until: number; own: number },
): Promise<boolean> {
  const result = await db
    .updateTable('charging')
    .set({ lease_until: until })
    .where((row) =>
      row.or([
        row('lease_until', '<=', now),
        row('lease_until', '=', own),
        // A lease that was acquired before the clock was set back would never end.
        row('lease_until', '>', until),
      ]),
    )
    .executeTakeFirstOrThrow();
  return result.numUpdatedRows === 1n;
}

/** Extends the lease of the round, or releases it where `until` is 0. */
export async function setLease(db: Executor, until: number): Promise<void> {
  await db.updateTable('charging').set({ lease_until: until }).execute();
}

/**
 * Stores that all buckets are charged up to an hour. An earlier hour than the stored one changes
 * nothing.
 */
export async function setChargedUntil(db: Executor, hour: number): Promise<void> {
  await db
    .updateTable('charging')
    .set({ charged_until: hour })
    .where('charged_until', '<', hour)
    .execute();
}

/**
 * Returns the owners of buckets by the bucket's id, also of deleted buckets. Unknown ids are
 * missing.
 */
export async function ownersOf(db: Executor, ids: string[]): Promise<Map<string, string>> {
  const owners = new Map<string, string>();
  for (let at = 0; at < ids.length; at += OWNER_BATCH_SIZE) {
    const some = ids.slice(at, at + OWNER_BATCH_SIZE);
    const deletedBuckets = await db
      .selectFrom('billed_buckets')
      .select(['bucket_id', 'user_id'])
      .where('bucket_id', 'in', some)
      .execute();
    for (const { bucket_id, user_id } of deletedBuckets) owners.set(bucket_id, user_id);
    const here = await db
      .selectFrom('buckets')
      .select(['id', 'user_id'])
      .where('id', 'in', some)
      .execute();
    for (const { id, user_id } of here) owners.set(id, user_id);
  }
  return owners;
}

/** Returns how far a bucket has been charged; undefined before its first charge. */
export async function billedBucket(tx: Tx, bucketId: string): Promise<BilledBucketRow | undefined> {
  return tx
    .selectFrom('billed_buckets')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .executeTakeFirst();
}

/** Inserts or updates how far a bucket has been charged. */
export async function saveBilled(tx: Tx, row: BilledBucketRow): Promise<void> {
  const { bucket_id: _, ...change } = row;
  await tx
    .insertInto('billed_buckets')
    .values(row)
    .onConflict((conflict) => conflict.column('bucket_id').doUpdateSet(change))
    .execute();
}

/**
 * Adds a charge to the costs of a bucket in a month. `split` is the charge by kind, in micro-USD.
 */
export async function addToCosts(
  tx: Tx,
  row: { user_id: string; bucket_id: string; month: number },
  split: Split,
): Promise<void> {
  await tx
    .insertInto('charge_months')
    .values({ ...row, ...split })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'month', 'bucket_id']).doUpdateSet(({ eb, ref }) => ({
        storage: eb('charge_months.storage', '+', ref('excluded.storage')),
        bandwidth: eb('charge_months.bandwidth', '+', ref('excluded.bandwidth')),
        upload: eb('charge_months.upload', '+', ref('excluded.upload')),
      })),
    )
    .execute();
}

/** Erases the names that a deleted account gave its buckets; the charges stay. */
export async function forgetNames(tx: Tx, userId: string): Promise<void> {
  await tx.updateTable('billed_buckets').set({ name: '' }).where('user_id', '=', userId).execute();
}

/** Marks an account as closed, which ends its reviews. */
export async function closeAccount(tx: Tx, userId: string, now: number): Promise<void> {
  await tx
    .updateTable('ledger_accounts')
    .set({ closed_at: now, review_at: null, below_since: null, delete_at: null })
    .where('user_id', '=', userId)
    .execute();
}

/**
 * Returns since when an account has been suspended for a negative balance; null where it is not.
 */
export async function belowSince(db: Executor, userId: string): Promise<number | null> {
  const row = await db
    .selectFrom('ledger_accounts')
    .select('below_since')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.below_since ?? null;
}

/**
 * Returns all past and present prices in order, because an hour is charged at its own price, even
 * later.
 */
export async function pricesSoFar(db: Executor): Promise<PriceRow[]> {
  return db.selectFrom('prices').selectAll().orderBy('hour').execute();
}

/** Stores the prices that apply from an hour on. They replace other prices from the same hour. */
export async function setPrices(tx: Tx, { hour, ...prices }: PriceRow): Promise<void> {
  await tx
    .insertInto('prices')
    .values({ hour, ...prices })
    .onConflict((conflict) => conflict.column('hour').doUpdateSet(prices))
    .execute();
}
