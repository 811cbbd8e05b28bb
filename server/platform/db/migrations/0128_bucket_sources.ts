import { type Kysely, sql } from 'kysely';

/**
 * A bucket can have a bucket of another S3 server as its source, from which files that it does not have are fetched when
 * they are read. What is deleted here meanwhile is not fetched again, so its path is kept.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table buckets add column has_source bigint not null default 0`.execute(db);
  await db.schema
    .createTable('bucket_sources')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('bucket_id', 'text', (column) =>
      column.notNull().unique().references('buckets.id').onDelete('cascade'),
    )
    .addColumn('endpoint', 'text', (column) => column.notNull())
    .addColumn('region', 'text', (column) => column.notNull())
    .addColumn('access_key_id', 'text', (column) => column.notNull())
    .addColumn('secret_sealed', 'text', (column) => column.notNull())
    .addColumn('source_bucket', 'text', (column) => column.notNull())
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('folder', 'text', (column) => column.notNull())
    .addColumn('access', 'text', (column) => column.notNull())
    .addColumn('excluded', 'bigint', (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('source_exclusions')
    .addColumn('bucket_id', 'text', (column) =>
      column.notNull().references('buckets.id').onDelete('cascade'),
    )
    .addColumn('path', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('source_exclusions_key', ['bucket_id', 'path'])
    .execute();
}
