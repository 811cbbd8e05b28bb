import { sql } from 'kysely';
import { DAY } from '../../../contract/limits.ts';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Database, Executor, Tx } from '../../../platform/db/port.ts';
import type { BilledBucketRow, ChargeDayRow, ChargeMonthRow, LedgerAccountRow } from '../tables.ts';
import { NOTHING_OWED } from './pricing.ts';

/** How long the charges of days are kept by bucket; those of months are kept for ever. */
const CHARGE_DAY_RETENTION_MS = 800 * DAY;

/** Returns the end of the first day that is to be charged by now, of all accounts but these. */
export async function firstDue(
  db: Executor,
  until: number,
  except: string[],
): Promise<number | undefined> {
  const row = await notIn(db.selectFrom('ledger_accounts').select('charge_at'), except)
    .where('charge_at', '<=', until)
    .orderBy('charge_at')
    .limit(1)
    .$call(inlineRead)
    .executeTakeFirst();
  return row?.charge_at ?? undefined;
}

/**
 * Locks at most `limit` accounts whose day that ends at `end` is to be charged. On PostgreSQL it
 * skips those that another process has locked.
 */
export async function claimDue(
  { engine }: Pick<Database, 'engine'>,
  tx: Tx,
  { end, limit, except }: { end: number; limit: number; except: string[] },
): Promise<LedgerAccountRow[]> {
  const query = notIn(tx.selectFrom('ledger_accounts').selectAll(), except)
    .where('charge_at', '=', end)
    .orderBy('user_id')
    .limit(limit);
  return (engine === 'postgres' ? query.forUpdate().skipLocked() : query).execute();
}

/** Inserts or updates how far buckets have been charged. The names of deleted ones stay. */
export async function saveBilled(tx: Tx, rows: Omit<BilledBucketRow, 'name'>[]): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('billed_buckets')
    .values(rows.map((row) => ({ ...row, name: null })))
    .onConflict((conflict) =>
      conflict.column('bucket_id').doUpdateSet(({ ref }) => ({
        charged_until: ref('excluded.charged_until'),
        carry: ref('excluded.carry'),
        stored: ref('excluded.stored'),
      })),
    )
    .execute();
}

/** Keeps the name of a bucket that is deleted. */
export async function saveName(
  tx: Tx,
  bucket: Pick<BilledBucketRow, 'bucket_id' | 'user_id' | 'name'>,
): Promise<void> {
  await tx
    .insertInto('billed_buckets')
    .values({ ...bucket, charged_until: 0, carry: NOTHING_OWED, stored: 0 })
    .onConflict((conflict) => conflict.column('bucket_id').doUpdateSet({ name: bucket.name }))
    .execute();
}

/** Adds charges to the days and to the months of their buckets. */
export async function addCharges(tx: Tx, rows: ChargeDayRow[], month: number): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('charge_days')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'day', 'bucket_id']).doUpdateSet(({ eb, ref }) => ({
        storage: eb('charge_days.storage', '+', ref('excluded.storage')),
        bandwidth: eb('charge_days.bandwidth', '+', ref('excluded.bandwidth')),
        upload: eb('charge_days.upload', '+', ref('excluded.upload')),
      })),
    )
    .execute();
  await tx
    .insertInto('charge_months')
    .values(rows.map(({ day: _, ...row }): ChargeMonthRow => ({ ...row, month })))
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'month', 'bucket_id']).doUpdateSet(({ eb, ref }) => ({
        storage: eb('charge_months.storage', '+', ref('excluded.storage')),
        bandwidth: eb('charge_months.bandwidth', '+', ref('excluded.bandwidth')),
        upload: eb('charge_months.upload', '+', ref('excluded.upload')),
      })),
    )
    .execute();
}

export type DayTotal = Pick<ChargeDayRow, 'user_id' | 'storage' | 'bandwidth' | 'upload'> & {
  /** The bytes stored at the end of the day; null where nothing is stored. */
  stored: number | null;
  /** Whether there is any usage after the day. */
  hasUse: boolean;
};

/** Returns the charges of a day and what follows it, by account. Days too old to keep are deleted. */
export async function totalsOfDay(tx: Tx, userIds: string[], day: number): Promise<DayTotal[]> {
  await tx
    .deleteFrom('charge_days')
    .where('user_id', 'in', userIds)
    .where('day', '<', day - CHARGE_DAY_RETENTION_MS)
    .execute();
  const { rows } = await sql<Omit<DayTotal, 'hasUse'> & { used: string | null }>`
    select account.user_id, coalesce(sum(storage), 0) as storage,
      coalesce(sum(bandwidth), 0) as bandwidth, coalesce(sum(upload), 0) as upload,
      (select sum(stored) from billed_buckets
        where billed_buckets.user_id = account.user_id and stored <> 0) as stored,
      (select min(user_id) from usage_hours where usage_hours.user_id = account.user_id) as used
    from ledger_accounts as account
    left join charge_days on charge_days.user_id = account.user_id and charge_days.day = ${day}
    where account.user_id in (${sql.join(userIds)})
    group by account.user_id`.execute(tx);
  return rows.map(({ used, ...row }) => ({ ...row, hasUse: used !== null }));
}

/** Returns the last day that has charges of an account; null where there is none. */
export async function lastChargedDay(tx: Tx, userId: string): Promise<number | null> {
  const { day } = await tx
    .selectFrom('charge_days')
    .select(({ fn }) => fn.max<number | null>('day').as('day'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return day;
}

/**
 * Erases at most `limit` of the names that a deleted account gave its buckets, and returns how many.
 * The charges stay.
 */
export async function forgetNames(db: Executor, userId: string, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update billed_buckets set name = '' where bucket_id in (
      select bucket_id from billed_buckets
      where user_id = ${userId} and coalesce(name, ' ') <> '' limit ${limit}
    )`.execute(db);
  return Number(numAffectedRows);
}

/** Marks an account as closed, which ends its reviews. */
export async function closeAccount(tx: Tx, userId: string, now: number): Promise<void> {
  await tx
    .updateTable('ledger_accounts')
    .set({ closed_at: now, charge_at: null, review_at: null, below_since: null, delete_at: null })
    .set({ paused_at: null, delivery_until: null })
    .where('user_id', '=', userId)
    .execute();
}

/** Makes the review of every account due that is charged for anything. */
export async function reviewCharged(db: Executor): Promise<void> {
  await db
    .updateTable('ledger_accounts')
    .set({ review_at: 0 })
    .where('charge_at', 'is not', null)
    .execute();
}

/** Narrows a query to the accounts that are not in a list, which may be empty. */
const notIn = <
  Query extends { where(column: 'user_id', operator: 'not in', ids: string[]): Query },
>(
  query: Query,
  ids: string[],
): Query => (ids.length > 0 ? query.where('user_id', 'not in', ids) : query);
