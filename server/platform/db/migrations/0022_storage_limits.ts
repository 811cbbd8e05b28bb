import type { Kysely } from 'kysely';

/** Keeps the storage limits that the admin sets for single accounts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('users').addColumn('max_bytes', 'bigint').execute();
}
