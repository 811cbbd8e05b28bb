import { type Kysely, sql } from 'kysely';

/** The objects of a bucket of another S3 server are copied by a job. An account has one at a time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('s3_imports')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('bucket_id', 'text', (column) =>
      column.notNull().references('buckets.id').onDelete('cascade'),
    )
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('endpoint', 'text', (column) => column.notNull())
    .addColumn('region', 'text', (column) => column.notNull())
    .addColumn('access_key_id', 'text', (column) => column.notNull())
    .addColumn('secret_sealed', 'text', (column) => column.notNull())
    .addColumn('source_bucket', 'text', (column) => column.notNull())
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('folder', 'text', (column) => column.notNull())
    .addColumn('access', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('position', 'text', (column) => column.notNull())
    .addColumn('copied', 'bigint', (column) => column.notNull())
    .addColumn('skipped', 'bigint', (column) => column.notNull())
    .addColumn('failed', 'bigint', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('failing_since', 'bigint')
    .addColumn('lease', 'text', (column) => column.notNull())
    .addColumn('leased_until', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .execute();
  await sql`create unique index s3_imports_running on s3_imports (user_id)
    where ended_at is null`.execute(db);
  await sql`create index s3_imports_listed on s3_imports (bucket_id, id)`.execute(db);
  await sql`create index s3_imports_due on s3_imports (leased_until)
    where ended_at is null`.execute(db);
  await sql`create index s3_imports_ended on s3_imports (ended_at)
    where ended_at is not null`.execute(db);
  await db.schema
    .createTable('s3_import_failures')
    .addColumn('import_id', 'text', (column) =>
      column.notNull().references('s3_imports.id').onDelete('cascade'),
    )
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('s3_import_failures_key', ['import_id', 'key'])
    .execute();
}
