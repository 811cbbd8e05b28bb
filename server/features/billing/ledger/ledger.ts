import type { LedgerKind } from '../../../contract/money.ts';
import type { Tx } from '../../../platform/db/port.ts';
import { monthOf } from '../../usage/service.ts';
import type { LedgerAccountRow, LedgerEntryRow } from '../tables.ts';
import {
  addToMonths,
  bookEntries,
  bookEntry,
  entryByRef,
  insertAccounts,
  lockAccountRow,
} from './ledger-store.ts';
import { IS_EMPTY } from './levels.ts';
import { paidAfter } from './paid-credit.ts';

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
  const { amount, ref } = posting;
  if (amount === 0 || !Number.isSafeInteger(amount)) {
    throw new RangeError(`${amount} is no amount of micro-USD`);
  }
  const account = await lockAccount(tx, posting.userId);
  const existing = await entryByRef(tx, ref);
  if (existing) return { entry: existing, isNew: false };

  const entry = nextEntry(account, posting);
  // The ongoing balance may reach another level although that of the ledger does not.
  if (!(await bookEntry(tx, entry, account.closed_at === null ? 0 : account.review_at))) {
    // A transaction of another account has posted the same ref at the same time.
    const other = await entryByRef(tx, ref);
    if (!other) throw new Error('a ledger entry was refused');
    return { entry: other, isNew: false };
  }
  await addToMonths(tx, [entry]);
  return { entry, isNew: true };
}

/**
 * Adds an entry to each of several accounts, which the transaction has locked, and stores their rows.
 * A posting of 0 adds no entry. Rejects where a ref was posted before.
 */
export async function postAll(
  tx: Tx,
  all: { account: LedgerAccountRow; posting: Posting }[],
): Promise<void> {
  const entries: LedgerEntryRow[] = [];
  const accounts = all.map(({ account, posting }) => {
    if (posting.amount === 0) return account;
    const entry = nextEntry(account, posting);
    entries.push(entry);
    const { seq, balance, paid } = entry;
    return { ...account, seq, balance, paid: paid ?? 0, ...spendAfter(account, entry) };
  });
  await bookEntries(tx, accounts, entries);
  await addToMonths(tx, entries);
}

/** Returns what an account was charged in the month of an entry, with the entry. */
function spendAfter(
  { spend_month, spend }: LedgerAccountRow,
  { kind, amount, created_at }: LedgerEntryRow,
): Pick<LedgerAccountRow, 'spend_month' | 'spend'> {
  const month = monthOf(created_at);
  // The clock may have been set back to a month before.
  if (kind !== 'charge' || month < spend_month) return { spend_month, spend };
  return { spend_month: month, spend: (month === spend_month ? spend : 0) - amount };
}

function nextEntry(account: LedgerAccountRow, posting: Posting): LedgerEntryRow {
  const { userId, kind, amount, ref, detail, at } = posting;
  const balance = account.balance + amount;
  return {
    user_id: userId,
    seq: account.seq + 1,
    amount,
    balance,
    paid: paidAfter(account.paid, { kind, amount, balance }),
    kind,
    ref,
    bucket_id: null,
    detail: detail === undefined ? null : JSON.stringify(detail),
    created_at: at,
  };
}

/**
 * Locks a ledger account until the transaction ends, and returns it. An account that does not exist
 * is created.
 */
export async function lockAccount(tx: Tx, userId: string): Promise<LedgerAccountRow> {
  const existing = await lockAccountRow(tx, userId);
  if (existing) return existing;
  await openAccounts(tx, [userId]);
  const created = await lockAccountRow(tx, userId);
  if (!created) throw new Error('a ledger account was not created');
  return created;
}

/** Opens a ledger account for each of these users who has none. */
export function openAccounts(tx: Tx, userIds: string[]): Promise<void> {
  return insertAccounts(tx, userIds, IS_EMPTY);
}
