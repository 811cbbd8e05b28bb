import type { Kysely } from 'kysely';

/** Orders the pending deletes, so that a sweep continues after those that it has read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('doomed_due').execute();
  await db.schema
    .createIndex('pending_deletes_due')
    .on('pending_deletes')
    .columns(['not_before', 'prefix'])
    .execute();
}
