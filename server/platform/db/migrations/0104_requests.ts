import type { Kysely } from 'kysely';

/**
 * How many requests for files of a bucket were answered on a day, and how many of them from a cache. Days from before
 * have none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['requests', 'cached_requests']) {
    await db.schema
      .alterTable('usage_days')
      .addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  }
}
