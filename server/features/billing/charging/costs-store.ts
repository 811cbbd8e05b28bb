import { sql } from 'kysely';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor } from '../../../platform/db/port.ts';
import type { ChargeDayRow, LedgerEntryRow, LedgerMonthRow } from '../tables.ts';

/** Returns the number of the last entry of an account's ledger; 0 where there is none. */
export async function lastEntryOf(db: Executor, userId: string): Promise<number> {
  const account = await db
    .selectFrom('ledger_accounts')
    .select('seq')
    .where('user_id', '=', userId)
    .$call(inlineRead)
    .executeTakeFirst();
  return account?.seq ?? 0;
}

/** Returns what each bucket was charged in a month, in micro-USD by kind. */
export async function chargesOfMonth(db: Executor, userId: string, month: number) {
  return db
    .selectFrom('charge_months')
    .select(['bucket_id', 'storage', 'bandwidth', 'upload'])
    .where('user_id', '=', userId)
    .where('month', '=', month)
    .execute();
}

/** Selects the sums by kind of what was charged from the day `from` up to, but not including, `to`. */
const sumsOfDays = (db: Executor, userId: string, from: number, to: number) =>
  db
    .selectFrom('charge_days')
    .select(({ fn }) => [
      fn.sum<number>('storage').as('storage'),
      fn.sum<number>('bandwidth').as('bandwidth'),
      fn.sum<number>('upload').as('upload'),
    ])
    .where('user_id', '=', userId)
    .where('day', '>=', from)
    .where('day', '<', to);

/** Returns what was charged on each of these days, in order. */
export async function chargesByDay(db: Executor, userId: string, from: number, to: number) {
  return sumsOfDays(db, userId, from, to).select('day').groupBy('day').orderBy('day').execute();
}

/** Returns what each bucket was charged on these days together. */
export async function chargesByBucket(db: Executor, userId: string, from: number, to: number) {
  return sumsOfDays(db, userId, from, to).select('bucket_id').groupBy('bucket_id').execute();
}

/** Returns the next `limit` charges of buckets from a day and a bucket on, in order. */
export async function dayParts(
  db: Executor,
  userId: string,
  { day, after, to, limit }: { day: number; after: string; to: number; limit: number },
): Promise<ChargeDayRow[]> {
  return db
    .selectFrom('charge_days')
    .selectAll()
    .where('user_id', '=', userId)
    .where((row) =>
      row.or([row('day', '>', day), row.and([row('day', '=', day), row('bucket_id', '>', after)])]),
    )
    .where('day', '>=', day)
    .where('day', '<', to)
    .orderBy('day')
    .orderBy('bucket_id')
    .limit(limit)
    .execute();
}

/** How many ids one statement names, as both engines bound the number of its parameters. */
const NAME_BATCH_SIZE = 500;

/** Returns the names of an account's buckets by id. A deleted bucket has its last name. */
export async function namesOf(db: Executor, bucketIds: string[]) {
  const names = new Map<string, { name: string; isDeleted: boolean }>();
  for (let at = 0; at < bucketIds.length; at += NAME_BATCH_SIZE) {
    const ids = bucketIds.slice(at, at + NAME_BATCH_SIZE);
    const deleted = await db
      .selectFrom('billed_buckets')
      .select(['bucket_id', 'name'])
      .where('bucket_id', 'in', ids)
      .$call(inlineRead)
      .execute();
    for (const { bucket_id, name } of deleted)
      names.set(bucket_id, { name: name ?? '', isDeleted: true });
    const existing = await db
      .selectFrom('buckets')
      .select(['id', 'name'])
      .where('id', 'in', ids)
      .$call(inlineRead)
      .execute();
    for (const { id, name } of existing) names.set(id, { name, isDeleted: false });
  }
  return names;
}

/** Returns when a user's account was created; undefined where it is deleted. */
export async function joinedAt(db: Executor, userId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('users')
    .select('created_at')
    .where('id', '=', userId)
    .$call(inlineRead)
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
