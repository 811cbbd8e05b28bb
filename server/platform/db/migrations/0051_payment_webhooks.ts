import { type Kysely, sql } from 'kysely';

/**
 * Whether payments are announced by webhooks, and up to when each provider's refunds and disputes have been
 * listed. Of payments that are older nothing is known, so they count as announced.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('payment_providers')
    .addColumn('provider', 'text', (column) => column.primaryKey().notNull())
    .addColumn('webhook_at', 'bigint')
    .addColumn('listed_at', 'bigint')
    .addColumn('warned_at', 'bigint')
    .execute();
  await db.schema.alterTable('payments').addColumn('announced_at', 'bigint').execute();
  await sql`update payments set announced_at = created_at`.execute(db);
  await sql`create index payments_settled on payments (provider, settled_at)
    where settled_at is not null`.execute(db);
}
