import { type Kysely, sql } from 'kysely';

/**
 * S3 clients address versions by ids, read objects by their parts, and put tags on them. The lists of versions go along
 * the paths, and at each from the version that was superseded last to the first one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, column] of [
    ['files', 'version_id'],
    ['files', 'tags'],
    ['blobs', 'parts'],
    ['buckets', 'tags'],
    ['upload_parts', 'checksum'],
  ] as const) {
    await db.schema.alterTable(table).addColumn(column, 'text').execute();
  }
  await sql`alter table buckets add column was_versioned bigint not null default 0`.execute(db);
  await sql`drop index files_versions`.execute(db);
  await sql`create index files_versions on files (bucket_id, path, superseded_at desc, id desc)
    where removal = 'replaced'`.execute(db);
  await sql`create index files_deleted on files (bucket_id, path, superseded_at desc, id desc)
    where removal = 'deleted'`.execute(db);
  await sql`create index files_null_version on files (bucket_id, path)
    where version_id = 'null'`.execute(db);
}
