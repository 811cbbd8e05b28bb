import type { LedgerKind } from '../../../contract/money.ts';
import type { Tx } from '../../../platform/db/port.ts';
import type { LedgerAccountRow, LedgerEntryRow } from '../tables.ts';
import { levelOf } from './balance-level.ts';
import { addToMonth, bookEntry, entryByRef, insertAccount, lockAccount } from './ledger-store.ts';

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
