import type { Kysely } from 'kysely';

/** Until when nothing may be removed from the objects, because somebody copies them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('deletion_holds')
    .addColumn('owner', 'text', (column) => column.primaryKey())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .execute();
}
