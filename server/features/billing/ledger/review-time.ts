import { DAY, GIB, HOUR, MINUTE } from '../../../contract/limits.ts';
import type { LedgerAccountRow } from '../tables.ts';
import { levelOf, nextLevelAt } from './levels.ts';

/**
 * How far ahead reviews are planned. Every account that stores something is charged once a day, which
 * plans its next review.
 */
const HORIZON_MS = DAY + 2 * HOUR;

/**
 * Returns when storage alone takes a balance to its next level, so that the account is reviewed then;
 * null where that takes more than a day, or no level is left.
 * @param account.balance micro-USD at the time `from`, in epoch milliseconds
 * @param account.stored bytes
 * @param account.price of storage, in micro-USD per GiB for 30 days
 * @param account.credit_limit micro-USD
 */
export function reviewTimeOf(account: {
  balance: number;
  stored: number;
  price: number;
  credit_limit: number;
  from: number;
}): number | null {
  const { balance, stored, price, credit_limit, from } = account;
  const level = nextLevelAt(balance, credit_limit);
  const perMs = (stored / GIB) * (price / (30 * DAY));
  if (level === null || perMs <= 0) return null;
  // An estimate that falls short by a fraction must not be repeated at once.
  const ms = Math.max(MINUTE, Math.ceil((balance - level) / perMs));
  return ms <= HORIZON_MS ? from + ms : null;
}

/** Whether an account must be reviewed: its level has changed, or its next review comes too late. */
export function needsReview(
  account: Pick<LedgerAccountRow, 'balance' | 'level' | 'credit_limit' | 'review_at'> & {
    stored: number;
  },
  { now, price }: { now: number; price: number },
): boolean {
  const { balance, level, credit_limit, review_at } = account;
  if (levelOf(balance, credit_limit) !== level) return true;
  const projected = reviewTimeOf({ ...account, price, from: now });
  return projected !== null && (review_at === null || projected < review_at - MINUTE);
}
