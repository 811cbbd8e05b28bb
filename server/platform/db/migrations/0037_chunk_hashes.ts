import type { Kysely } from 'kysely';

/**
 * The SHA-256 of each chunk of a video, so that another video under the same client id is not taken for a
 * repeated chunk. Chunks that older versions store have none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('upload_chunks').addColumn('sha256', 'text').execute();
}
