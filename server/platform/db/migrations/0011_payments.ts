import { type Kysely, sql } from 'kysely';

/** Payments and what took money of them back. They outlive their account: money was moved. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('payments')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('checkout_id', 'text')
    .addColumn('reference', 'text')
    .addColumn('received', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('credited', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('reversed', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('refund_due', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('note', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('settled_at', 'bigint')
    .addColumn('ask_at', 'bigint')
    .addUniqueConstraint('payments_checkout', ['provider', 'checkout_id'])
    .addUniqueConstraint('payments_reference', ['provider', 'reference'])
    .addCheckConstraint('payments_amount', sql`amount > 0 and credited >= 0 and reversed >= 0`)
    .execute();
  await db.schema.createIndex('payments_user').on('payments').columns(['user_id', 'id']).execute();
  await db.schema
    .createIndex('payments_ask')
    .on('payments')
    .column('ask_at')
    .where(sql.ref('ask_at'), 'is not', null)
    .execute();

  await db.schema
    .createTable('payment_reversals')
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('payment_id', 'text', (column) => column.notNull().references('payments.id'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addColumn('stands', 'bigint', (column) => column.notNull())
    .addColumn('changes', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('payment_reversals_key', ['provider', 'id'])
    .execute();
  await db.schema
    .createIndex('payment_reversals_payment')
    .on('payment_reversals')
    .column('payment_id')
    .execute();
}
