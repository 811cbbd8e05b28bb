import type { Kysely } from 'kysely';

/** Keeps how many bytes each unfinished upload may store, and for which account. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('pending_deletes').addColumn('user_id', 'text').execute();
  await db.schema.alterTable('pending_deletes').addColumn('reserved_bytes', 'bigint').execute();
  await db.schema
    .createIndex('pending_deletes_user')
    .on('pending_deletes')
    .column('user_id')
    .where('user_id', 'is not', null)
    .execute();
}
