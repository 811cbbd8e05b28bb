import { type Kysely, sql } from 'kysely';

/** A folder job names the first files that stayed where they were, and a bucket's jobs are listed, the newest first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('folder_job_failures')
    .addColumn('job_id', 'text', (column) =>
      column.notNull().references('folder_jobs.id').onDelete('cascade'),
    )
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('folder_job_failures_key', ['job_id', 'path'])
    .execute();
  await sql`create index folder_jobs_listed on folder_jobs (bucket_id, id)`.execute(db);
  await sql`drop index folder_jobs_bucket`.execute(db);
}
