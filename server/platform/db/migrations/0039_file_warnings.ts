import type { Kysely } from 'kysely';

/** What is wrong with a file although it could be processed. Files of older versions have no warning. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('files').addColumn('warning', 'text').execute();
}
