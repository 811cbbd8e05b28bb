import { type Kysely, sql } from 'kysely';

/**
 * Uploaded bytes get a table of their own, so that versions of a file can share them. The blob of an existing file
 * has the file's id.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('blobs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('bucket_id', 'text', (column) => column.notNull())
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('object_key', 'text')
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('refs', 'bigint', (column) => column.notNull().check(sql`refs >= 0`))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into blobs (id, bucket_id, prefix, size, refs, created_at)
    select id, bucket_id, source_prefix, size, 1, created_at from files
    where source_prefix is not null order by id`.execute(db);
  await db.schema.alterTable('files').addColumn('blob_id', 'text').execute();
  await sql`update files set blob_id = id where source_prefix is not null`.execute(db);
  await db.schema.alterTable('files').dropColumn('source_prefix').execute();
}
