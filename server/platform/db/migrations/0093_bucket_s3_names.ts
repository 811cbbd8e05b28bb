import { type Kysely, sql } from 'kysely';

/** The name by which S3 clients know a bucket, which is unique in its account. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('buckets').addColumn('s3_name', 'text').execute();
  await sql`create unique index buckets_s3_name on buckets (user_id, s3_name)
    where s3_name is not null`.execute(db);
}
