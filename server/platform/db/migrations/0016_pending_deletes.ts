import type { Kysely } from 'kysely';

/** Names the tables of deletions by the words that the code uses for them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('doomed').renameTo('pending_deletes').execute();
  await db.schema.alterTable('deletion_holds').renameTo('deletion_pauses').execute();
}
