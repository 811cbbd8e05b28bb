import type { Kysely } from 'kysely';

/** The bytes that a bucket may send in a month, and until when it has been warned and stopped. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['bandwidth_limit', 'bandwidth_warned_until', 'delivery_stopped_until']) {
    await db.schema.alterTable('buckets').addColumn(column, 'bigint').execute();
  }
}
