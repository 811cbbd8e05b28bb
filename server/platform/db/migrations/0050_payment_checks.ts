import { type Kysely, sql } from 'kysely';

/**
 * Payments that have ended are asked about too. Those that are pending are found without looking at the
 * ended ones.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index payments_ask`.execute(db);
  await sql`create index payments_ask on payments (status, ask_at)
    where ask_at is not null`.execute(db);
}
