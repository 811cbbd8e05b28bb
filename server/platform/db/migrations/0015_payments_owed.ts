import { type Kysely, sql } from 'kysely';

/** What the list of payments that are to be given back is read by: few of all that there are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index payments_owed on payments (id) where refund_due > 0`.execute(db);
}
