import { type Kysely, sql } from 'kysely';

/** The account to which a webhook delivery belongs, so that accounts can take turns. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('webhook_deliveries')
    .addColumn('owner', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  // The last deliveries of a deleted bucket have no account any more; each such bucket has its own turn.
  await sql`
    update webhook_deliveries set owner =
      coalesce((select user_id from buckets where buckets.id = bucket_id), bucket_id)`.execute(db);
  const indexes = [
    ['webhook_deliveries_owner', ['owner', 'due_at']],
    ['webhook_deliveries_receiver', ['owner', 'bucket_id', 'due_at', 'id']],
  ] as const;
  for (const [name, columns] of indexes) {
    await db.schema
      .createIndex(name)
      .on('webhook_deliveries')
      .columns([...columns])
      .where(sql.ref('state'), '=', 'waiting')
      .execute();
  }
}
