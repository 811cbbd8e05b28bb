import { type Kysely, sql } from 'kysely';

/** How far below zero each account is still delivered, which its next review stores. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('ledger_accounts')
    .addColumn('credit_limit', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`drop index ledger_accounts_below`.execute(db);
  await sql`create index ledger_accounts_below on ledger_accounts (user_id)
    where (level >= 3 or delivery_until is not null) and closed_at is null`.execute(db);
}
