import type { Kysely } from 'kysely';

/**
 * The page of the provider for each payment, so that a pending one can be continued. Payments that older
 * versions have started have none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('payments').addColumn('checkout_url', 'text').execute();
}
