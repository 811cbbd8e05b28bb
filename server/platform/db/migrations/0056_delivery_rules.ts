import type { Kysely } from 'kysely';

/** Which sites may show a bucket's files, and how often clients may request them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('buckets').addColumn('delivery_rules', 'text').execute();
}
