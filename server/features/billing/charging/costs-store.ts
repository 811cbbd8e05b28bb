import { sql } from 'kysely';
import type { Executor } from '../../../platform/db/port.ts';
import type { LedgerEntryRow, LedgerMonthRow } from '../tables.ts';

/**
 * Returns what each bucket cost in a month, in micro-USD by kind. A deleted bucket has its last
 * name.
 */
export async function costsOfMonth(db: Executor, userId: string, month: number) {
  const rows = await db
    .selectFrom('charge_months')
    .leftJoin('buckets', 'buckets.id', 'charge_months.bucket_id')
    .leftJoin('billed_buckets', 'billed_buckets.bucket_id', 'charge_months.bucket_id')
    .select([
      'charge_months.bucket_id',
      'charge_months.storage',
      'charge_months.bandwidth',
      'charge_months.upload',
      'buckets.name',
      'billed_buckets.name as last_name',
    ])
    .where('charge_months.user_id', '=', userId)
    .where('charge_months.month', '=', month)
    .execute();
  return rows.map(({ name, last_name, ...row }) => ({
    ...row,
    name: name ?? last_name ?? '',
    isDeleted: name === null,
  }));
}

/** Returns how many bytes a user's buckets store now. */
export async function storedBy(db: Executor, userId: string): Promise<number> {
  const row = await db
    .selectFrom('buckets')
    .select(({ fn, lit }) => fn.coalesce(fn.sum<number>('usage'), lit(0)).as('bytes'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return row.bytes;
}

/** Returns when a user's account was created; undefined where it is deleted. */
export async function joinedAt(db: Executor, userId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('users')
    .select('created_at')
    .where('id', '=', userId)
    .executeTakeFirst();
  return row?.created_at;
}

/** Returns the sums of the ledger entries by month and kind, oldest first. */
export async function monthsOf(db: Executor, userId: string): Promise<LedgerMonthRow[]> {
  return db
    .selectFrom('ledger_months')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('month')
    .orderBy('kind')
    .execute();
}

/** Returns the entries except charges whose time is from `from` up to, but not including, `to`. */
export async function entriesBetween(
  db: Executor,
  userId: string,
  from: number,
  to: number,
): Promise<LedgerEntryRow[]> {
  return (
    db
      .selectFrom('ledger_entries')
      .selectAll()
      .where('user_id', '=', userId)
      // SQLite uses the partial index only if the condition is a literal, as it is in the index.
      .where(sql<boolean>`kind <> 'charge'`)
      .where('created_at', '>=', from)
      .where('created_at', '<', to)
      .orderBy('created_at')
      .orderBy('seq')
      .execute()
  );
}
