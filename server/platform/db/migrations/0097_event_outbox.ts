import { type Kysely, PostgresAdapter, sql } from 'kysely';

/**
 * Events of committed transactions that are still to be sent to other processes. PostgreSQL needs no log of them: its
 * crash empties the table and breaks every connection, after which each process takes it that it has missed events.
 * SQLite has one process, and its table stays empty.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  await db.schema
    .createTable('event_outbox')
    .$call((table) => (isPostgres ? table.modifyFront(sql`unlogged`) : table))
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('text', 'text', (column) => column.notNull())
    .execute();
}
