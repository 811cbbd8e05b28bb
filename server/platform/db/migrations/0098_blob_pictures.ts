import type { Kysely } from 'kysely';

/** The size and the ThumbHash of an image that is stored as it is are read from its bytes, which versions and copies share. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('blobs').addColumn('width', 'bigint').execute();
  await db.schema.alterTable('blobs').addColumn('height', 'bigint').execute();
  await db.schema.alterTable('blobs').addColumn('thumb_hash', 'text').execute();
}
