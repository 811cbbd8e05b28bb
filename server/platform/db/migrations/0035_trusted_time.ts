import type { Kysely } from 'kysely';

/** The last time that the server trusted its clock. One row. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('trusted_time')
    .addColumn('id', 'bigint', (column) => column.primaryKey().notNull())
    .addColumn('trusted_at', 'bigint', (column) => column.notNull())
    .addColumn('boot_id', 'text', (column) => column.notNull())
    .addColumn('uptime', 'bigint', (column) => column.notNull())
    .execute();
}
