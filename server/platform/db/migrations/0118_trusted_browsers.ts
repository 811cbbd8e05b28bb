import type { Kysely } from 'kysely';

/** Browsers in which a user logs in without a code, and the countries of sessions, which a proxy may tell. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('trusted_browsers')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('users.id').onDelete('cascade'),
    )
    .addColumn('token_hash', 'text', (column) => column.notNull())
    .addColumn('device', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('country', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('trusted_browsers_user')
    .on('trusted_browsers')
    .columns(['user_id', 'id'])
    .execute();
  await db.schema
    .createIndex('trusted_browsers_created')
    .on('trusted_browsers')
    .column('created_at')
    .execute();
  await db.schema.alterTable('sessions').addColumn('country', 'text').execute();
}
