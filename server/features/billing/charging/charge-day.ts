import type { Database, Tx } from '../../../platform/db/port.ts';
import { dayText, monthOf } from '../../usage/service.ts';
import { postAll } from '../ledger/ledger.ts';
import { levelOf } from '../ledger/levels.ts';
import { reviewTimeOf } from '../ledger/review-time.ts';
import type { LedgerAccountRow, PriceRow } from '../tables.ts';
import { addBucketSpend } from './bucket-spend-store.ts';
import * as store from './charges-store.ts';
import { openCost, storedAtEnd } from './open-cost.ts';
import { type DueBucket, dueBuckets, openBuckets, takeUse } from './open-use-store.ts';
import { pricesSoFar } from './prices-store.ts';
import { calculateCharge, isCarry } from './pricing.ts';

/** How many buckets one transaction charges, some 20 ms on SQLite. */
const BUCKET_BATCH_SIZE = 256;

/** Identifies the entry of an account's charges of a day. */
export const chargeRef = (userId: string, day: number) => `charge:${userId}:${dayText(day)}`;

type Charge = {
  /** The day to which the charge belongs. */
  day: number;
  /** Everything before this time is charged: the start of an hour, usually the end of the day. */
  end: number;
  /** The time of the entries. */
  at: number;
  /** When these accounts are charged next where there is anything to charge. */
  next: number;
};

/**
 * Charges accounts, whose rows are locked, for a day: it charges their buckets, and posts one entry
 * for each account. Where the accounts have more buckets than one transaction charges, the charges of
 * these are kept, and the account is posted with its last bucket.
 * A bucket whose row is damaged is left out, with all of its usage, until the row is repaired.
 * @returns whether all accounts are posted, and the buckets that were left out
 */
export async function chargeDay(
  database: Pick<Database, 'engine'>,
  tx: Tx,
  accounts: LedgerAccountRow[],
  charge: Charge,
): Promise<{ isComplete: boolean; damaged: DueBucket[] }> {
  const userIds = accounts.map((account) => account.user_id);
  const due = await dueBuckets(tx, userIds, charge.end, BUCKET_BATCH_SIZE);
  const last = due.length < BUCKET_BATCH_SIZE ? null : (due.at(-1) ?? null);
  const prices = await pricesSoFar(tx);
  const damaged = due.filter(({ carry }) => carry !== null && !isCarry(carry));
  if (last && damaged.length === due.length) throw new Error(damageOf(damaged));
  const sound = due.filter((bucket) => !damaged.includes(bucket));
  const except = damaged.map(({ bucket_id }) => bucket_id);
  const taken = await takeUse(database, tx, { userIds, prices, end: charge.end, last, except });
  await chargeBuckets(tx, await openBuckets(tx, sound, taken), prices, charge);
  const complete = last ? accounts.filter(({ user_id }) => user_id < last.user_id) : accounts;
  if (complete.length > 0) await postDay(tx, complete, prices.at(-1)?.storage ?? 0, charge);
  return { isComplete: complete.length === accounts.length, damaged };
}

/** Returns what to tell the admin of buckets whose rows are damaged. */
export function damageOf(damaged: DueBucket[]): string {
  const [first] = damaged;
  const more = damaged.length > 1 ? `, and ${damaged.length - 1} more buckets` : '';
  return `Bucket ${first?.bucket_id} can't be charged: its carry '${first?.carry}' is damaged${more}`;
}

type OpenBuckets = Awaited<ReturnType<typeof openBuckets>>;

async function chargeBuckets(
  tx: Tx,
  buckets: OpenBuckets,
  prices: PriceRow[],
  { day, end }: Charge,
): Promise<void> {
  const charged = buckets.map((bucket) => {
    const { user_id, bucket_id, charged_until } = bucket;
    const { total, split, carry } = calculateCharge(openCost(bucket, prices, end), bucket.carry);
    const key = { user_id, bucket_id };
    const billed = { charged_until: Math.max(charged_until, end), stored: storedAtEnd(bucket) };
    return { total, part: { ...key, day, ...split }, billed: { ...key, ...billed, carry } };
  });
  await store.saveBilled(
    tx,
    charged.map(({ billed }) => billed),
  );
  const parts = charged.filter(({ total }) => total > 0).map(({ part }) => part);
  await store.addCharges(tx, parts, monthOf(day));
  await addBucketSpend(tx, parts, monthOf(day));
}

async function postDay(
  tx: Tx,
  accounts: LedgerAccountRow[],
  /** The current price of storage, in micro-USD. */
  price: number,
  { day, end, at, next }: Charge,
): Promise<void> {
  const ids = accounts.map(({ user_id }) => user_id);
  const totals = new Map((await store.totalsOfDay(tx, ids, day)).map((row) => [row.user_id, row]));
  await postAll(
    tx,
    accounts.map((account) => {
      const {
        user_id,
        storage = 0,
        bandwidth = 0,
        upload = 0,
        ...state
      } = {
        ...account,
        ...totals.get(account.user_id),
      };
      const amount = -(storage + bandwidth + upload);
      const balance = account.balance + amount;
      const stored = state.stored ?? 0;
      const { credit_limit } = account;
      const review = reviewTimeOf({ balance, stored, price, credit_limit, from: end });
      return {
        account: {
          ...account,
          charge_at: stored !== 0 || state.hasUse ? next : null,
          review_at: earlierReview(account, balance, review),
        },
        posting: {
          userId: user_id,
          kind: 'charge',
          amount,
          ref: chargeRef(user_id, day),
          detail: { storage, bandwidth, upload },
          at,
        },
      };
    }),
  );
}

/** An account is reviewed when its level changes, and below zero also when its next notice is due. */
function earlierReview(
  { level, credit_limit, review_at }: LedgerAccountRow,
  balance: number,
  projected: number | null,
): number | null {
  if (levelOf(balance, credit_limit) > level) return 0;
  if (projected === null) return review_at;
  return Math.min(projected, review_at ?? projected);
}
