import { sql } from 'kysely';
import { chargeRef } from '../../features/billing/service.ts';
import { bucketBytes } from '../../features/buckets/service.ts';
import type { Executor } from '../../platform/db/port.ts';
import { PAGE_SIZE, paged } from './store.ts';

export type ChargedMonth = { user_id: string; month: number; charged: number; posted: number };

/** Returns what the buckets of an account were charged in each month, and what the ledger has for it. */
export async function chargedMonths(db: Executor, userId: string): Promise<ChargedMonth[]> {
  const { rows } = await sql<ChargedMonth>`
    select user_id, month, sum(charged) as charged, sum(posted) as posted from (
      select user_id, month, storage + bandwidth + upload as charged, 0 as posted
      from charge_months where user_id = ${userId}
      union all
      select user_id, month, 0, -amount from ledger_months
      where user_id = ${userId} and kind = 'charge'
    ) as both_sides group by user_id, month order by month`.execute(db);
  return rows;
}

/** Yields the ids of all accounts. */
export const allAccounts = (db: Executor) =>
  paged(
    (after) =>
      db
        .selectFrom('ledger_accounts')
        .select('user_id')
        .where('user_id', '>', after)
        .orderBy('user_id')
        .limit(PAGE_SIZE)
        .execute(),
    (row) => row.user_id,
  );

/**
 * Returns the micro-USD of the last charged day of an account from `from` up to, but not including,
 * `to` that the ledger has no entry for yet: large accounts are charged in several transactions.
 */
export async function unpostedCharges(
  db: Executor,
  userId: string,
  from: number,
  to: number,
): Promise<number> {
  const last = await db
    .selectFrom('charge_days')
    .select(({ fn }) => [
      'day',
      sql<number>`${fn.sum('storage')} + ${fn.sum('bandwidth')} + ${fn.sum('upload')}`.as('amount'),
    ])
    .where('user_id', '=', userId)
    .where('day', '=', ({ selectFrom }) =>
      selectFrom('charge_days')
        .select(({ fn }) => fn.max('day').as('day'))
        .where('user_id', '=', userId),
    )
    .where('day', '>=', from)
    .where('day', '<', to)
    .groupBy('day')
    .executeTakeFirst();
  if (!last) return 0;
  const entry = await db
    .selectFrom('ledger_entries')
    .select('seq')
    .where('ref', '=', chargeRef(userId, last.day))
    .executeTakeFirst();
  return entry ? 0 : Number(last.amount);
}

/**
 * Returns a page of the buckets whose charges of a month differ from those of its days `from` up to,
 * but not including, `to`.
 */
export async function miscountedCharges(
  db: Executor,
  userId: string,
  from: number,
  to: number,
): Promise<{ bucket_id: string }[]> {
  const { rows } = await sql<{ bucket_id: string }>`
    select bucket_id from (
      select bucket_id, storage, bandwidth, upload from charge_months
      where user_id = ${userId} and month = ${from}
      union all
      select bucket_id, -storage, -bandwidth, -upload from charge_days
      where user_id = ${userId} and day >= ${from} and day < ${to}
    ) as both_sides
    group by bucket_id
    having sum(storage) <> 0 or sum(bandwidth) <> 0 or sum(upload) <> 0
    order by bucket_id limit ${PAGE_SIZE}`.execute(db);
  return rows;
}

/** Returns whether an account was charged by the hour, which left no days, since a time. */
export async function wasChargedHourly(db: Executor, userId: string, since: number) {
  const entry = await db
    .selectFrom('ledger_entries')
    .select('seq')
    .where('user_id', '=', userId)
    .where('bucket_id', 'is not', null)
    .where('created_at', '>=', since)
    .limit(1)
    .executeTakeFirst();
  return entry !== undefined;
}

/**
 * Selects by how many bytes what a bucket stores has changed since it was last charged, with what is not folded yet.
 */
const changeOf = (userId: string, bucketId: string) => sql<number>`
  ((select coalesce(sum(used.stored_change), 0) from usage_hours as used
      where used.user_id = ${sql.ref(userId)} and used.bucket_id = ${sql.ref(bucketId)})
    + (select coalesce(sum(used.stored_change), 0) from usage_changes as used
      where used.bucket_id = ${sql.ref(bucketId)}))`;

/** Selects buckets, without those whose files are being deleted, which `miscountedBuckets` leaves out too. */
const meteredBuckets = (db: Executor) =>
  db
    .selectFrom('buckets')
    .select([
      'buckets.id',
      bucketBytes.as('usage'),
      sql<number>`coalesce((select stored from billed_buckets where bucket_id = buckets.id), 0)`.as(
        'billed',
      ),
      changeOf('buckets.user_id', 'buckets.id').as('change'),
    ])
    .where('buckets.status', '!=', 'deleting');

/** Yields each bucket with the bytes that it was last charged for, and by how many they changed since. */
export const allMeteredBuckets = (db: Executor) =>
  paged(
    (after) =>
      meteredBuckets(db)
        .where('buckets.id', '>', after)
        .orderBy('buckets.id')
        .limit(PAGE_SIZE)
        .execute(),
    (row) => row.id,
  );

export const meteredBucketById = (db: Executor, id: string) =>
  meteredBuckets(db).where('buckets.id', '=', id).executeTakeFirst();

/** Selects deleted buckets of open accounts. What is used in a closed account is charged to nobody. */
const deletedBuckets = (db: Executor) =>
  db
    .selectFrom('billed_buckets as billed')
    .select(({ lit }) => [
      'billed.bucket_id as id',
      'billed.stored as billed',
      changeOf('billed.user_id', 'billed.bucket_id').as('change'),
      lit(0).as('usage'),
    ])
    .where(
      sql<boolean>`(select id from buckets where buckets.id = billed.bucket_id) is null
        and (select closed_at from ledger_accounts as account
          where account.user_id = billed.user_id) is null`,
    );

/** Yields each deleted bucket in the same way; its usage is 0. */
export const allDeletedBuckets = (db: Executor) =>
  paged(
    (after) =>
      deletedBuckets(db)
        .where('billed.bucket_id', '>', after)
        .orderBy('billed.bucket_id')
        .limit(PAGE_SIZE)
        .execute(),
    (row) => row.id,
  );

export const deletedBucketById = (db: Executor, id: string) =>
  deletedBuckets(db).where('billed.bucket_id', '=', id).executeTakeFirst();
