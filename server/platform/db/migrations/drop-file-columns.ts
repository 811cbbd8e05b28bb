import { type Kysely, sql } from 'kysely';

type SchemaRow = { type: 'table' | 'index' | 'trigger'; name: string; sql: string };

/** `derivatives` refers to `files`, and its references follow a table that is renamed. */
const TABLES = ['files', 'derivatives'];
const toOldName = (table: string) => `old_${table}`;

/**
 * Drops columns of `files` on SQLite, which by itself writes the whole table again for each of them. Both tables are
 * made again as they were, and their rows copied once. The old `files` is dropped when nothing refers to it any
 * more, because foreign keys can't be turned off in a transaction, and dropping the table would delete its
 * derivatives. An index of a dropped column must be gone before.
 *
 * @param move Copies what is in the columns, from the table whose name it gets.
 */
export async function dropFileColumns(
  db: Kysely<unknown>,
  columns: string[],
  move: (source: string) => Promise<void>,
): Promise<void> {
  const { rows } = await sql<SchemaRow>`select type, name, sql from sqlite_master
    where tbl_name in (${sql.join(TABLES)}) and sql is not null`.execute(db);
  const create = async (wanted: (row: SchemaRow) => boolean) => {
    for (const row of rows.filter(wanted)) await sql.raw(row.sql).execute(db);
  };
  for (const table of TABLES) {
    await db.schema.alterTable(table).renameTo(toOldName(table)).execute();
  }
  await create(({ type }) => type === 'table');
  for (const column of columns) await db.schema.alterTable('files').dropColumn(column).execute();
  for (const table of TABLES) await copyRows(db, table);
  await move(toOldName('files'));
  for (const table of TABLES.toReversed()) await db.schema.dropTable(toOldName(table)).execute();
  await create(({ type }) => type !== 'table');
}

async function copyRows(db: Kysely<unknown>, table: string): Promise<void> {
  const { rows } = await sql<{
    name: string;
  }>`select name from pragma_table_info(${table})`.execute(db);
  const names = sql.join(rows.map(({ name }) => sql.ref(name)));
  await sql`insert into ${sql.table(table)} (${names})
    select ${names} from ${sql.table(toOldName(table))}`.execute(db);
}
