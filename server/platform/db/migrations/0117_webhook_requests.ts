import type { Kysely } from 'kysely';

/** What the last attempt of a webhook sent beside its body, so that its owner can compare it with what arrived. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['sent_url', 'sent_headers']) {
    await db.schema.alterTable('webhook_deliveries').addColumn(name, 'text').execute();
  }
}
