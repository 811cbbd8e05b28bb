import type { Kysely } from 'kysely';

/** The last batch of usage that each process has written, so that none is written twice. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('usage_flushes')
    .addColumn('process', 'text', (column) => column.primaryKey().notNull())
    .addColumn('number', 'bigint', (column) => column.notNull())
    .addColumn('written_at', 'bigint', (column) => column.notNull())
    .execute();
}
