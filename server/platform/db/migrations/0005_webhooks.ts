import { type Kysely, sql } from 'kysely';

/** Secrets of webhooks, and the outbox of what is to be delivered to them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('buckets').addColumn('webhook_secret_sealed', 'text').execute();
  await db.schema.alterTable('buckets').addColumn('webhook_disabled_at', 'bigint').execute();

  // No reference to the bucket: its last deliveries go out after it is gone.
  await db.schema
    .createTable('webhook_deliveries')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('bucket_id', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('target_sealed', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('step', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('claim', 'text')
    .addColumn('answer_status', 'bigint')
    .addColumn('answer_text', 'text')
    .addColumn('attempted_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('webhook_deliveries_due')
    .on('webhook_deliveries')
    .columns(['due_at', 'id'])
    .where(sql.ref('state'), '=', 'waiting')
    .execute();
  await db.schema
    .createIndex('webhook_deliveries_bucket')
    .on('webhook_deliveries')
    .columns(['bucket_id', 'id'])
    .execute();
}
