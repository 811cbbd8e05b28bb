import type { Kysely } from 'kysely';

/** When a job started, by which those that wait can be told how long. Jobs of older versions have none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('jobs').addColumn('started_at', 'bigint').execute();
}
