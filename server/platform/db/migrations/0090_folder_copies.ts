import { type Kysely, sql } from 'kysely';

/** A folder can be copied, also into another bucket. The jobs of an account are counted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table folder_jobs add column target_bucket_id text`.execute(db);
  await sql`alter table folder_jobs add column user_id text`.execute(db);
  await sql`create index folder_jobs_user on folder_jobs (user_id, status)`.execute(db);
}
