import { type RawBuilder, sql } from 'kysely';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import { monthOf } from '../../usage/service.ts';
import type { DunningState, LedgerAccountRow, LedgerEntryRow } from '../tables.ts';

/** A user and the key of their address, which all spellings of the address share. */
export type AddressOwner = { id: string; email_key: string };

/**
 * Locks the row of an account until the transaction ends, and returns it; undefined where there is
 * none.
 */
export async function lockAccountRow(
  tx: Tx,
  userId: string,
): Promise<LedgerAccountRow | undefined> {
  return tx
    .updateTable('ledger_accounts')
    .set((account) => ({ seq: account.ref('seq') }))
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();
}

/** Inserts an empty ledger account for each of these users who has none. */
export async function insertAccounts(tx: Tx, userIds: string[], level: number): Promise<void> {
  await tx
    .insertInto('ledger_accounts')
    .values(
      userIds.map((user_id) => ({
        user_id,
        seq: 0,
        balance: 0,
        paid: 0,
        level,
        notices: 0,
        credit_limit: 0,
        spend_month: 0,
        spend: 0,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Returns the entry with a ref; undefined where none was posted. */
export async function entryByRef(db: Executor, ref: string): Promise<LedgerEntryRow | undefined> {
  return db
    .selectFrom('ledger_entries')
    .selectAll()
    .where('ref', '=', ref)
    .$call(inlineRead)
    .executeTakeFirst();
}

/** Inserts an entry and updates its account. Returns false where an entry has the ref already. */
export async function bookEntry(
  tx: Tx,
  entry: LedgerEntryRow,
  reviewAt: number | null,
): Promise<boolean> {
  const inserted = await tx
    .insertInto('ledger_entries')
    .values(entry)
    .onConflict((conflict) => conflict.column('ref').doNothing())
    .executeTakeFirstOrThrow();
  if (inserted.numInsertedOrUpdatedRows !== 1n) return false;
  await tx
    .updateTable('ledger_accounts')
    .set({
      ...{ seq: entry.seq, balance: entry.balance, paid: entry.paid ?? 0 },
      review_at: reviewAt,
    })
    .where('user_id', '=', entry.user_id)
    .execute();
  return true;
}

/** Inserts entries of locked accounts, and stores the accounts with their new balances. */
export async function bookEntries(
  tx: Tx,
  accounts: LedgerAccountRow[],
  entries: LedgerEntryRow[],
): Promise<void> {
  if (entries.length > 0) await tx.insertInto('ledger_entries').values(entries).execute();
  await tx
    .insertInto('ledger_accounts')
    .values(accounts)
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet(({ ref }) => ({
        seq: ref('excluded.seq'),
        balance: ref('excluded.balance'),
        paid: ref('excluded.paid'),
        charge_at: ref('excluded.charge_at'),
        review_at: ref('excluded.review_at'),
        spend_month: ref('excluded.spend_month'),
        spend: ref('excluded.spend'),
      })),
    )
    .execute();
}

/** Adds entries, of which no two have one account and kind in a month, to the sums of their months. */
export async function addToMonths(tx: Tx, entries: LedgerEntryRow[]): Promise<void> {
  if (entries.length === 0) return;
  await tx
    .insertInto('ledger_months')
    .values(
      entries.map(({ user_id, kind, amount, created_at }) => {
        return { user_id, month: monthOf(created_at), kind, amount, entries: 1 };
      }),
    )
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'month', 'kind']).doUpdateSet(({ eb, ref }) => ({
        amount: eb('ledger_months.amount', '+', ref('excluded.amount')),
        entries: eb('ledger_months.entries', '+', ref('excluded.entries')),
      })),
    )
    .execute();
}

/** Returns the posted balance in micro-USD; 0 where nothing was ever posted. */
export async function balanceOf(db: Executor, userId: string): Promise<number> {
  const account = await db
    .selectFrom('ledger_accounts')
    .select('balance')
    .where('user_id', '=', userId)
    .$call(inlineRead)
    .executeTakeFirst();
  return account?.balance ?? 0;
}

/** Whether a user has had more credit than that of a new account, less what was given back. */
export async function hasAddedCredit(db: Executor, userId: string): Promise<boolean> {
  const { amount } = await db
    .selectFrom('ledger_months')
    .select(({ fn, lit }) => fn.coalesce(fn.sum<number>('amount'), lit(0)).as('amount'))
    .where('user_id', '=', userId)
    .where('kind', 'in', ['payment', 'grant', 'refund', 'dispute', 'reversal'])
    .executeTakeFirstOrThrow();
  return amount > 0;
}

/**
 * Stores that a user has a mailbox, by the first of its MACs. Returns the users who had it last before, by
 * any of the MACs.
 */
export async function claimMailbox(
  tx: Tx,
  mailboxMacs: readonly [string, ...string[]],
  userId: string,
): Promise<string[]> {
  const [mailboxMac] = mailboxMacs;
  // The row is locked before it is read: two accounts of one mailbox can be created at the same time.
  await tx
    .insertInto('credited_addresses')
    .values({ address_mac: mailboxMac, user_id: userId })
    .onConflict((conflict) =>
      conflict.column('address_mac').doUpdateSet(({ ref }) => ({
        user_id: ref('credited_addresses.user_id'),
      })),
    )
    .execute();
  const claims = await tx
    .selectFrom('credited_addresses')
    .select('user_id')
    .distinct()
    .where('address_mac', 'in', mailboxMacs)
    .where('user_id', '!=', userId)
    .orderBy('user_id')
    .execute();
  await tx
    .updateTable('credited_addresses')
    .set({ user_id: userId })
    .where('address_mac', '=', mailboxMac)
    .execute();
  return claims.map(({ user_id }) => user_id);
}

/** Returns which of these users have a deleted account with a balance below zero. */
export async function findLeftDebts(db: Executor, userIds: string[]): Promise<string[]> {
  if (userIds.length === 0) return [];
  const debts = await db
    .selectFrom('ledger_accounts')
    .select('user_id')
    .where('user_id', 'in', userIds)
    .where('closed_at', 'is not', null)
    .where('balance', '<', 0)
    .orderBy('user_id')
    .execute();
  return debts.map(({ user_id }) => user_id);
}

/**
 * Whether there may be users without a ledger account, from before there was one. The oldest of them gets theirs last,
 * so that nobody is without one if the oldest user is not.
 */
export async function mayLackAccounts(db: Executor): Promise<boolean> {
  const oldest = db.selectFrom('users').select(({ fn }) => fn.min('id').as('id'));
  const row = await db
    .selectFrom('users')
    .leftJoin('ledger_accounts', 'ledger_accounts.user_id', 'users.id')
    .select('ledger_accounts.user_id as account')
    .where('users.id', '=', oldest)
    .$call(inlineRead)
    .executeTakeFirst();
  return row?.account === null;
}

/** Returns the users who have no ledger account, newest first. */
export async function usersWithoutAccount(db: Executor): Promise<AddressOwner[]> {
  return db
    .selectFrom('users')
    .leftJoin('ledger_accounts', 'ledger_accounts.user_id', 'users.id')
    .select(['users.id', 'users.email_key'])
    .where('ledger_accounts.user_id', 'is', null)
    .orderBy('users.id', 'desc')
    .execute();
}

/** Changes the state of an account's dunning. */
export async function setDunningState(
  tx: Tx,
  userId: string,
  state: Partial<DunningState & Pick<LedgerAccountRow, 'credit_limit'>>,
): Promise<void> {
  await tx.updateTable('ledger_accounts').set(state).where('user_id', '=', userId).execute();
}

/**
 * Returns at most `limit` accounts whose review is due, in the order of their ids, starting after
 * `after`.
 */
export async function findDueAccounts(
  db: Executor,
  now: number,
  after: string,
  limit: number,
): Promise<LedgerAccountRow['user_id'][]> {
  return idsOf(db, sql<boolean>`review_at <= ${now}`, after, limit);
}

/**
 * Returns at most `limit` accounts below zero whose buckets are suspended although nobody can pay, or run although
 * somebody can, in the order of their ids, starting after `after`. There are none unless the configuration has changed.
 */
export async function findMisjudgedAccounts(
  db: Executor,
  takesPayments: boolean,
  after: string,
  limit: number,
): Promise<LedgerAccountRow['user_id'][]> {
  // SQLite uses the partial index only if its condition is written exactly as in the index.
  const below = sql`(level >= 3 or delivery_until is not null) and closed_at is null`;
  const isMisjudged = takesPayments
    ? sql<boolean>`${below} and (delivery_until is null or below_since is null)`
    : sql<boolean>`${below} and delivery_until is not null`;
  return idsOf(db, isMisjudged, after, limit);
}

/** Returns the next `limit` accounts after `after` that meet a condition. */
async function idsOf(
  db: Executor,
  condition: RawBuilder<boolean>,
  after: string,
  limit: number,
): Promise<LedgerAccountRow['user_id'][]> {
  const rows = await db
    .selectFrom('ledger_accounts')
    .select('user_id')
    .where(condition)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(limit)
    .$call(inlineRead)
    .execute();
  return rows.map((row) => row.user_id);
}
