import type { Kysely } from 'kysely';

/** What is done once for an installation, and never again, whatever becomes of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('setup_steps')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('completed_at', 'bigint', (column) => column.notNull())
    .execute();
}
