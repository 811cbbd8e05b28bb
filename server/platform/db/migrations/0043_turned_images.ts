import type { Kysely } from 'kysely';

/**
 * Whether a delivered image declares an orientation, so that even its own size and format are generated for
 * who asks for a transform. It is unknown of older files, which are delivered as before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('files')
    .addColumn('is_turned', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
}
