import type { Kysely } from 'kysely';

/** S3 clients expect the MD5 of an object as its ETag. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('blobs').addColumn('md5', 'text').execute();
}
