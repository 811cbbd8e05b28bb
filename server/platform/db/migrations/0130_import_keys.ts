import type { Kysely } from 'kysely';

/** An import ends once the API key that has started it was replaced, which only the version of the key tells. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('s3_imports').addColumn('key_version', 'bigint').execute();
}
