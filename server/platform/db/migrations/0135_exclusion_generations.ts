import { type Kysely, sql } from 'kysely';

/** What is excluded from a source is cleared at once, however many rows there are, and what is deleted meanwhile stays. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['bucket_sources', 'source_exclusions']) {
    const column = sql`generation bigint not null default 0`;
    await sql`alter table ${sql.table(table)} add column ${column}`.execute(db);
  }
}
