import type { Kysely } from 'kysely';

/** Keeps which addresses had an account, so that none gets the signup credit twice. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('credited_addresses')
    .addColumn('address_mac', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .execute();
}
