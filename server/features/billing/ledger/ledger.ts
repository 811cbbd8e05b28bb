import { type LedgerKind, MICRO_USD } from '../../../contract/money.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import type { LedgerAccountRow, LedgerEntryRow } from '../tables.ts';
import {
  addToMonth,
  bookEntry,
  entryByRef,
  insertAccount,
  lockAccount,
  usersWithoutAccount,
} from './ledger-store.ts';

/** From this balance on, in micro-USD, its owner should know. */
const LOW = MICRO_USD;

export type Posting = {
  userId: string;
  kind: LedgerKind;
  /** Micro-USD, signed, not 0. */
  amount: number;
  /** What is posted, such as 'stripe:pi_123': of all postings with one ref only the first counts. */
  ref: string;
  bucketId?: string;
  /** Kept as JSON. */
  detail?: unknown;
  /** The moment to which it counts, in epoch milliseconds. */
  at: number;
};

/**
 * Adds an entry to an account's ledger. Where the ref has been posted before, nothing changes and the
 * entry of then is answered, not new. Holds the account until the end of the transaction, so that
 * entries come one after another; whoever posts to several accounts in one does so in the order of
 * their ids. Throws RangeError for an amount of 0 or one that is not whole.
 */
export async function post(
  tx: Tx,
  posting: Posting,
): Promise<{ entry: LedgerEntryRow; isNew: boolean }> {
  const { userId, kind, amount, ref, bucketId = null, detail, at } = posting;
  if (amount === 0 || !Number.isSafeInteger(amount)) {
    throw new RangeError(`${amount} is no amount of micro-USD`);
  }
  const account = await hold(tx, userId);
  const known = await entryByRef(tx, ref);
  if (known) return { entry: known, isNew: false };

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
    // Another account's transaction posted the same ref at this moment.
    const other = await entryByRef(tx, ref);
    if (!other) throw new Error('a ledger entry was refused');
    return { entry: other, isNew: false };
  }
  await addToMonth(tx, entry);
  return { entry, isNew: true };
}

/** An account's head, made when missing, held for the rest of the transaction. */
export async function hold(tx: Tx, userId: string): Promise<LedgerAccountRow> {
  const held = await lockAccount(tx, userId);
  if (held) return held;
  await insertAccount(tx, userId, levelOf(0));
  const made = await lockAccount(tx, userId);
  if (!made) throw new Error('a ledger account was not made');
  return made;
}

const ENOUGH = 0;
export const IS_LOW = 1;
export const IS_EMPTY = 2;
const IS_BELOW = 3;

/** How low a balance in micro-USD is; every step down is one that its owner is told of. */
export function levelOf(balance: number): number {
  if (balance > LOW) return ENOUGH;
  if (balance > 0) return IS_LOW;
  return balance === 0 ? IS_EMPTY : IS_BELOW;
}

/** Gives a new account what it begins with, `amount` in micro-USD, once. */
export const giveSignupCredit =
  (amount: number) =>
  async (tx: Tx, userId: string, at: number): Promise<void> => {
    // The head is made in any case: who has one is not given anything later.
    await hold(tx, userId);
    if (amount === 0) return;
    await post(tx, { userId, kind: 'credit', amount, ref: `signup:${userId}`, at });
  };

/** Gives it to accounts that are older than the ledger. */
export async function creditEarlier(database: Database, amount: number, at: number): Promise<void> {
  const give = giveSignupCredit(amount);
  for (const id of await usersWithoutAccount(database.db)) {
    await database.transaction((tx) => give(tx, id, at));
  }
}
