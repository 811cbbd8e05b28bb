import { sql } from 'kysely';
import { DAY } from '../../../contract/limits.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { openHours } from '../../usage/service.ts';
import type { BilledBucketRow, LedgerAccountRow, PriceRow } from '../tables.ts';
import type { OpenBucket } from './open-cost.ts';
import { sumsOf, toUse, type UseRow } from './open-use-store.ts';
import { NOTHING_OWED } from './pricing.ts';

export type OpenAccount = Pick<
  LedgerAccountRow,
  'user_id' | 'balance' | 'paid' | 'level' | 'credit_limit' | 'review_at' | 'charge_at'
> & {
  /** The micro-USD that are charged to buckets, but not posted yet. */
  accrued: number;
  buckets: OpenBucket[];
};

type AccountRow = Omit<OpenAccount, 'buckets'> &
  ({ bucket_id: null } | ({ bucket_id: string } & BilledBucketRow)) &
  ({ price_hour: null } | UseRow);

/**
 * Returns accounts with everything that is still to be charged of them before `end`, which is the
 * start of an hour. It is one statement, so that it sees a charge that is being posted either not at
 * all or completely. Accounts without a ledger are missing.
 */
export async function readOpenAccounts(
  db: Executor,
  userIds: string[],
  prices: PriceRow[],
  end: number,
): Promise<OpenAccount[]> {
  const ids = sql.join(userIds);
  const rows = sql`(select * from ${openHours} as hours where user_id in (${ids}) and hour < ${end})`;
  const found = await sql<AccountRow>`
    with sums as (${sumsOf(rows, prices, end)})
    select account.user_id, account.balance, account.paid, account.level, account.credit_limit, account.review_at,
      account.charge_at,
      (select coalesce(sum(storage + bandwidth + upload), 0) from charge_days
        where charge_days.user_id = account.user_id
          and charge_days.day = account.charge_at - ${sql.lit(DAY)}) as accrued,
      active.bucket_id, coalesce(billed.stored, 0) as stored,
      coalesce(billed.charged_until, 0) as charged_until,
      coalesce(billed.carry, ${NOTHING_OWED}) as carry,
      sums.price_hour, sums.bandwidth, sums.uploaded, sums.stored_change, sums.stored_gib_ms,
      sums.stored_byte_ms, sums.gib_hours, sums.byte_hours
    from ledger_accounts as account
    left join (
      select user_id, bucket_id from billed_buckets where user_id in (${ids}) and stored <> 0
      union
      select user_id, bucket_id from sums
    ) as active on active.user_id = account.user_id
    left join billed_buckets as billed on billed.bucket_id = active.bucket_id
    left join sums on sums.user_id = active.user_id and sums.bucket_id = active.bucket_id
    where account.user_id in (${ids})
    order by account.user_id`.execute(db);
  return group(found.rows);
}

function group(rows: AccountRow[]): OpenAccount[] {
  const accounts = new Map<string, OpenAccount>();
  const buckets = new Map<string, OpenBucket>();
  for (const row of rows) {
    const { user_id, balance, paid, level, credit_limit, review_at, charge_at, accrued } = row;
    const account = accounts.get(user_id) ?? {
      ...{ user_id, balance, paid, level, credit_limit, review_at, charge_at, accrued },
      buckets: [],
    };
    accounts.set(user_id, account);
    if (row.bucket_id === null) continue;
    let bucket = buckets.get(row.bucket_id);
    if (!bucket) {
      const { bucket_id, stored, charged_until, carry } = row;
      bucket = { user_id, bucket_id, stored, charged_until, carry, uses: [] };
      buckets.set(bucket_id, bucket);
      account.buckets.push(bucket);
    }
    if (row.price_hour !== null) bucket.uses.push(toUse(row));
  }
  return [...accounts.values()];
}
