import { type Kysely, sql } from 'kysely';

/** Finds the accounts below zero that are suspended or not, for after a change of the configuration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index ledger_accounts_below on ledger_accounts (below_since, user_id)
    where level = 3 and closed_at is null`.execute(db);
}
