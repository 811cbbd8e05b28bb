import type { Kysely } from 'kysely';

/**
 * The addresses that accounts had before they changed them, so that the audit log names the address of then.
 * They go with their account. Changes from before this migration are not known.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audit_addresses')
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('users.id').onDelete('cascade'),
    )
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('audit_addresses_user')
    .on('audit_addresses')
    .columns(['user_id', 'until'])
    .execute();
  await db.schema
    .createIndex('audit_addresses_until')
    .on('audit_addresses')
    .column('until')
    .execute();
}
