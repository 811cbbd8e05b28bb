import { type Kysely, sql } from 'kysely';

/** What was deleted at a path is looked up until its row is gone, so that the source of its bucket does not bring it back. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index files_purged on files (bucket_id, path) where removal = 'purged'`.execute(
    db,
  );
}
