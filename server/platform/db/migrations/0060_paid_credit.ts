import { type Kysely, sql } from 'kysely';

/** The entries that one query reads. */
const PAGE_SIZE = 1_000;

/** The kinds of entries that move money, when this migration was written. */
const MONEY = new Set(['payment', 'refund', 'dispute', 'reversal']);

type Entry = { seq: number; kind: string; amount: number; balance: number };

/**
 * The part of a balance that was paid, of the account and after each entry. Entries from before don't have it, as
 * they never change; the part of an account is computed from them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('ledger_accounts')
    .addColumn('paid', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('ledger_entries').addColumn('paid', 'bigint').execute();
  const { rows } = await sql<{ user_id: string }>`
    select user_id from ledger_accounts as account
    where balance > 0 and exists (
      select 1 from ledger_months where user_id = account.user_id and kind = 'payment'
    )`.execute(db);
  for (const { user_id } of rows) {
    const paid = await paidOf(db, user_id);
    await sql`update ledger_accounts set paid = ${paid} where user_id = ${user_id}`.execute(db);
  }
}

async function paidOf(db: Kysely<unknown>, userId: string): Promise<number> {
  let paid = 0;
  for (let after = 0; ; ) {
    const { rows } = await sql<Entry>`
      select seq, kind, amount, balance from ledger_entries
      where user_id = ${userId} and seq > ${after} order by seq limit ${PAGE_SIZE}`.execute(db);
    for (const { seq, kind, amount, balance } of rows) {
      const changed = paid + (MONEY.has(kind) ? Number(amount) : 0);
      paid = Math.min(Math.max(changed, 0), Math.max(Number(balance), 0));
      after = Number(seq);
    }
    if (rows.length < PAGE_SIZE) return paid;
  }
}
