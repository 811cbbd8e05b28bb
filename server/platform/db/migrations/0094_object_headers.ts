import type { Kysely } from 'kysely';

/**
 * What S3 clients have stored with an object and get back: headers, an ETag that is not the MD5 of its bytes, and a
 * checksum.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('files').addColumn('headers', 'text').execute();
  await db.schema.alterTable('blobs').addColumn('etag', 'text').execute();
  await db.schema.alterTable('blobs').addColumn('checksum', 'text').execute();
}
