import { type Kysely, sql } from 'kysely';

/**
 * The versions of a path belong to its current file, or to one of those that were deleted there, which their time of purging
 * tells apart. Without it an index leads to the versions of all of them, which can be a million.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index files_version_sets
    on files (bucket_id, path, purge_at, superseded_at desc, id desc)
    where removal = 'replaced'`.execute(db);
}
