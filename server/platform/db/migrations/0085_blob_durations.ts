import type { Kysely } from 'kysely';

/** The length of audio is read from its bytes, which versions and copies share. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('blobs').addColumn('duration', 'bigint').execute();
}
