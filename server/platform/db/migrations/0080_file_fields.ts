import { type Kysely, sql } from 'kysely';

/** The owner of a file can say when it expires, and add texts to it. The index has only files that expire. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table files add column expires_at bigint`.execute(db);
  await sql`alter table files add column metadata text`.execute(db);
  await sql`create index files_expiry on files (expires_at, id)
    where expires_at is not null and superseded_at is null`.execute(db);
}
