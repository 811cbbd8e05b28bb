import { type Kysely, sql } from 'kysely';

/** Counts interruptions apart from attempts, and keeps the original of a failed file until it expires. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('jobs')
    .addColumn('interruptions', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('files').addColumn('retry_until', 'bigint').execute();
  await sql`create index files_retry_until on files (retry_until) where retry_until is not null`.execute(
    db,
  );
}
