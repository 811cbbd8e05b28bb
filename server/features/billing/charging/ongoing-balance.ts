import { DAY, HOUR } from '../../../contract/limits.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { hourOf, monthOf } from '../../usage/service.ts';
import type { PriceRow } from '../tables.ts';
import { type OpenAccount, readOpenAccounts } from './open-accounts-store.ts';
import { openCost, storedAtEnd } from './open-cost.ts';
import { pricesSoFar } from './prices-store.ts';
import { calculateCharge, isCarry, NOTHING, type Split } from './pricing.ts';

/** An account with its balance at a moment, of which all use until then is deducted. */
export type OngoingBalance = Omit<OpenAccount, 'buckets' | 'accrued'> & {
  /** In micro-USD: what the ledger will say once everything until this moment is posted. */
  balance: number;
  /** The bytes that all buckets of the account store now. */
  stored: number;
  /** What is not charged yet, by bucket. A part may be 0. */
  parts: { bucket_id: string; split: Split; total: number }[];
};

/**
 * Returns the balances of accounts at a moment, in epoch milliseconds. Accounts without a ledger are
 * missing. It costs a lookup for each bucket that stores something or was used since the last charge.
 */
export async function ongoingBalances(
  db: Executor,
  userIds: string[],
  now: number,
): Promise<OngoingBalance[]> {
  const end = hourOf(now) + HOUR;
  const prices = await pricesSoFar(db);
  return (await readOpenAccounts(db, userIds, prices, end)).map((one) =>
    ongoing(one, prices, end, now),
  );
}

/** Returns the balance of an account in micro-USD at a moment; 0 where nothing was ever posted. */
export async function balanceAt(db: Executor, userId: string, now: number): Promise<number> {
  return (await creditAt(db, userId, now)).balance;
}

/** Returns that balance, and the part of it that was paid. Granted credit is used first. */
export async function creditAt(db: Executor, userId: string, now: number) {
  const [account] = await ongoingBalances(db, [userId], now);
  const { balance, paid } = account ?? { balance: 0, paid: 0 };
  return { balance, paid: Math.min(paid, Math.max(balance, 0)) };
}

/** What an account has used, but is not charged for yet, by bucket in micro-USD. */
export type OpenCosts = {
  /** What was used before this month, which is charged within minutes. */
  before: OngoingBalance['parts'];
  /** What was used in this month. */
  since: OngoingBalance['parts'];
  /** Everything before this time is charged. */
  chargedUntil: number;
  /** The bytes that are stored now. */
  stored: number;
};

/** Returns what is not charged yet of an account at a moment, in epoch milliseconds. */
export async function openCosts(db: Executor, userId: string, now: number): Promise<OpenCosts> {
  const month = monthOf(now);
  const prices = await pricesSoFar(db);
  const end = hourOf(now) + HOUR;
  const [account] = await readOpenAccounts(db, [userId], prices, end);
  const [earlier] = await readOpenAccounts(db, [userId], prices, month);
  const { parts, stored } = account ? ongoing(account, prices, end, now) : { parts: [], stored: 0 };
  const before = earlier ? ongoing(earlier, prices, month, month).parts : [];
  const known = new Map(before.map((part) => [part.bucket_id, part.split]));
  const since = parts.map(({ bucket_id, split }) => {
    const difference = minus(split, known.get(bucket_id));
    return { bucket_id, split: difference, total: totalOf(difference) };
  });
  const isOpen = earlier?.buckets.some(
    ({ uses, stored, charged_until }) => uses.length > 0 || (stored !== 0 && charged_until < month),
  );
  const first = account?.charge_at ?? null;
  const chargedUntil = first !== null ? first - DAY : isOpen ? month - DAY : now;
  return { before, since, chargedUntil, stored };
}

const totalOf = ({ storage, bandwidth, upload }: Split) => storage + bandwidth + upload;

const minus = (split: Split, other: Split = NOTHING): Split => ({
  storage: split.storage - other.storage,
  bandwidth: split.bandwidth - other.bandwidth,
  upload: split.upload - other.upload,
});

function ongoing(
  { buckets, balance, accrued, ...account }: OpenAccount,
  prices: PriceRow[],
  end: number,
  now: number,
): OngoingBalance {
  // What a bucket with a damaged row owes is not known until the row is repaired.
  const sound = buckets.filter(({ carry }) => isCarry(carry));
  const parts = sound.map((bucket) => {
    const { split, total } = calculateCharge(openCost(bucket, prices, end, now), bucket.carry);
    return { bucket_id: bucket.bucket_id, split, total };
  });
  return {
    ...account,
    balance: parts.reduce((sum, { total }) => sum - total, balance - accrued),
    stored: buckets.reduce((sum, bucket) => sum + storedAtEnd(bucket), 0),
    parts,
  };
}
