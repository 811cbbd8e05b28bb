import { type Kysely, sql } from 'kysely';

/** Buckets can keep what was uploaded of images and videos. Those that exist go on without it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table buckets add column keep_originals bigint not null default 0`.execute(db);
}
