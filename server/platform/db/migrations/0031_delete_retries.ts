import { type Kysely, sql } from 'kysely';

/**
 * Lets each pending delete fail and wait by itself, and be repeated after its objects are gone. The time of
 * the start has a column of its own, and is no longer the time of the delete as a negative number.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['started_at', 'deleted_at']) {
    await db.schema.alterTable('pending_deletes').addColumn(column, 'bigint').execute();
  }
  await db.schema
    .alterTable('pending_deletes')
    .addColumn('failures', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('pending_deletes').addColumn('error', 'text').execute();
  await sql`update pending_deletes set started_at = -not_before, not_before = -not_before
    where not_before <= 0`.execute(db);
  await db.schema
    .createIndex('pending_deletes_failing')
    .on('pending_deletes')
    .column('prefix')
    .where(sql.ref('failures'), '>', sql.lit(0))
    .execute();
}
