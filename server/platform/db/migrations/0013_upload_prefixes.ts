import { type Kysely, sql } from 'kysely';

/** Where the objects of an upload are is decided when it begins, by its bucket's region. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['uploads', 'tus_uploads']) {
    await db.schema
      .alterTable(table)
      .addColumn('prefix', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
    await sql`update ${sql.table(table)} set prefix = 'u/' || id || '/'`.execute(db);
  }
}
