import { type Kysely, sql } from 'kysely';

/** Buckets can process what S3 clients put. None does until its owner says so. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table buckets add column process_s3 bigint not null default 0`.execute(db);
}
