import { type Kysely, PostgresAdapter, sql } from 'kysely';

/**
 * What changes in a bucket, until it is added to the bucket, to its hours and to its days. On PostgreSQL uploads append
 * rows here, instead of waiting for one another at those; SQLite has one writer, which adds them at once.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const count = ['files', 'uploaded', 'stored_change', 'stored_gib_ms', 'stored_byte_ms'];
  let table = db.schema
    .createTable('usage_changes')
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('bucket_id', 'text', (column) => column.notNull())
    .addColumn('hour', 'bigint', (column) => column.notNull())
    .addColumn('kept_day', 'bigint', (column) => column.notNull());
  for (const name of [...count, 'kept', 'removed']) {
    table = table.addColumn(name, 'bigint', (column) => column.notNull());
  }
  await table.addPrimaryKeyConstraint('usage_changes_key', ['bucket_id', 'id']).execute();
  await db.schema.createIndex('usage_changes_user').on('usage_changes').column('user_id').execute();
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return;
  // All of its rows are replaced every second, so its size says nothing of how many are dead.
  await sql`alter table usage_changes set (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`.execute(db);
}
