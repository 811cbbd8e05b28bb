import type { Kysely } from 'kysely';

/** Finds the known browsers and the changes of address that have expired. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('known_browsers_seen')
    .on('known_browsers')
    .column('seen_at')
    .execute();
  await db.schema
    .createIndex('email_changes_expiry')
    .on('email_changes')
    .column('expires_at')
    .execute();
}
