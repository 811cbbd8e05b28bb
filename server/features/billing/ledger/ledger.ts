import { type LedgerKind, MICRO_USD } from '../../../contract/money.ts';
import type { Tx } from '../../../platform/db/port.ts';
import type { LedgerAccountRow, LedgerEntryRow } from '../tables.ts';
import {
  addToMonth,
  bookEntry,
  entryByRef,
  insertAccount,
  lockAccountRow,
} from './ledger-store.ts';

/** The owner is told when the balance, in micro-USD, is this or less. */
const LOW_BALANCE = MICRO_USD;

export type Posting = {
  userId: string;
  kind: LedgerKind;
  /** The amount in micro-USD, positive or negative but not 0. */
  amount: number;
  /**
   * Identifies the posting, such as 'stripe:pi_123'. Of all postings with one ref only the first
   * counts.
   */
  ref: string;
  bucketId?: string;
  /** Stored as JSON. */
  detail?: unknown;
  /** The time of the entry, in epoch milliseconds. */
  at: number;
};

/**
 * Adds an entry to an account's ledger and returns it. Where the ref was posted before, it changes
 * nothing and returns the earlier entry. It locks the account until the transaction ends, so that
 * entries are added one after another; a transaction that posts to several accounts does so in the
 * order of their ids. Throws RangeError for an amount of 0, or one that is not a whole number.
 */
export async function post(
  tx: Tx,
  posting: Posting,
): Promise<{ entry: LedgerEntryRow; isNew: boolean }> {
  const { userId, kind, amount, ref, bucketId = null, detail, at } = posting;
  if (amount === 0 || !Number.isSafeInteger(amount)) {
    throw new RangeError(`${amount} is no amount of micro-USD`);
  }
  const account = await lockAccount(tx, userId);
  const existing = await entryByRef(tx, ref);
  if (existing) return { entry: existing, isNew: false };

  const entry: LedgerEntryRow = {
    user_id: userId,
    seq: account.seq + 1,
    amount,
    balance: account.balance + amount,
    kind,
    ref,
    bucket_id: bucketId,
    detail: detail === undefined ? null : JSON.stringify(detail),
    created_at: at,
  };
  const isReviewed =
    account.closed_at !== null || levelOf(entry.balance) === levelOf(account.balance);
  if (!(await bookEntry(tx, entry, isReviewed ? account.review_at : 0))) {
    // A transaction of another account has posted the same ref at the same time.
    const other = await entryByRef(tx, ref);
    if (!other) throw new Error('a ledger entry was refused');
    return { entry: other, isNew: false };
  }
  await addToMonth(tx, entry);
  return { entry, isNew: true };
}

/**
 * Locks a ledger account until the transaction ends, and returns it. An account that does not exist
 * is created.
 */
export async function lockAccount(tx: Tx, userId: string): Promise<LedgerAccountRow> {
  const existing = await lockAccountRow(tx, userId);
  if (existing) return existing;
  await insertAccount(tx, userId, levelOf(0));
  const created = await lockAccountRow(tx, userId);
  if (!created) throw new Error('a ledger account was not created');
  return created;
}

const ENOUGH = 0;
export const IS_LOW = 1;
export const IS_EMPTY = 2;
const IS_BELOW = 3;

/** Returns how low a balance in micro-USD is. The owner is told of every step down. */
export function levelOf(balance: number): number {
  if (balance > LOW_BALANCE) return ENOUGH;
  if (balance > 0) return IS_LOW;
  return balance === 0 ? IS_EMPTY : IS_BELOW;
}
