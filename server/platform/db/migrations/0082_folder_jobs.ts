import { type Kysely, sql } from 'kysely';

/** A folder of many files is moved or deleted by a job. A bucket has one at a time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('folder_jobs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('bucket_id', 'text', (column) =>
      column.notNull().references('buckets.id').onDelete('cascade'),
    )
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('target', 'text')
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('position', 'text', (column) => column.notNull())
    .addColumn('done', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('conflicts', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .execute();
  await sql`create unique index folder_jobs_running on folder_jobs (bucket_id)
    where ended_at is null`.execute(db);
  await sql`create index folder_jobs_bucket on folder_jobs (bucket_id)`.execute(db);
  await sql`create index folder_jobs_ended on folder_jobs (ended_at)
    where ended_at is not null`.execute(db);
}
