import { type Kysely, sql } from 'kysely';

/** Buckets can keep deleted files and earlier versions. Each index has only the files that its lists show. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['keep_deleted_days', 'keep_versions']) {
    await sql.raw(`alter table buckets add column ${column} bigint not null default 0`).execute(db);
  }
  await sql`alter table files add column removal text`.execute(db);
  await sql`alter table files add column purge_at bigint`.execute(db);
  await sql`drop index files_list`.execute(db);
  await sql`create index files_list on files (bucket_id, file_type, access, id)
    where superseded_at is null`.execute(db);
  await sql`create index files_superseded on files (bucket_id, id)
    where superseded_at is not null`.execute(db);
  await sql`create index files_trash on files (bucket_id, superseded_at, id)
    where removal = 'deleted'`.execute(db);
  await sql`create index files_versions on files (bucket_id, path, superseded_at, id)
    where removal = 'replaced'`.execute(db);
  await sql`create index files_purge on files (purge_at) where purge_at is not null`.execute(db);
}
