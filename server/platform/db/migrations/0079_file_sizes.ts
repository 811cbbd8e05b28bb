import { type Kysely, sql } from 'kysely';

/** Lists of files by size read this index, where sorting all files of a bucket would take seconds. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index files_size on files (bucket_id, size, id)
    where superseded_at is null`.execute(db);
}
