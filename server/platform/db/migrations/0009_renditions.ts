import type { Kysely } from 'kysely';

/** What is stored of a file, by rendition; unknown of files that were published before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('files').addColumn('renditions', 'text').execute();
}
