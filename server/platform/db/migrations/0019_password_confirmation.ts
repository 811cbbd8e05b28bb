import type { Kysely } from 'kysely';

/**
 * Keeps when the password of a session was last entered. For the sessions that are open it counts
 * as long ago, so that their next sensitive action asks for it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('sessions')
    .addColumn('password_confirmed_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
}
