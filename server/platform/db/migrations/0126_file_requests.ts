import type { Kysely } from 'kysely';

/**
 * The files of each bucket that were requested most on a day, with what was sent of them. `missed` is how many requests
 * may be missing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  let table = db.schema
    .createTable('file_requests')
    .addColumn('bucket_id', 'text', (column) =>
      column.notNull().references('buckets.id').onDelete('cascade'),
    )
    .addColumn('day', 'bigint', (column) => column.notNull())
    .addColumn('file_id', 'text', (column) => column.notNull());
  for (const name of ['requests', 'bytes', 'missed']) {
    table = table.addColumn(name, 'bigint', (column) => column.notNull());
  }
  await table
    .addPrimaryKeyConstraint('file_requests_key', ['bucket_id', 'day', 'file_id'])
    .execute();
  await db.schema.createIndex('file_requests_day').on('file_requests').column('day').execute();
}
