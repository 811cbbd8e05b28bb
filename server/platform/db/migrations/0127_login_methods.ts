import type { Kysely } from 'kysely';

/** How each session was started, and an index that reads the newest sessions of a user without sorting all of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('sessions').addColumn('method', 'text').execute();
  await db.schema
    .createIndex('sessions_user_newest')
    .on('sessions')
    .columns(['user_id', 'id'])
    .execute();
  await db.schema.dropIndex('sessions_user').execute();
}
