import { Database } from 'bun:sqlite';
import { sql } from 'kysely';
import type { Executor } from '../../platform/db/port.ts';

const FETCH_BATCH_SIZE = 500;

export type Row = Record<string, bigint | string | null>;
export type Table = { name: string; key: string[] };

/**
 * The tables that are not copied: those of the migrator, the pauses of running backups, and what triggers
 * write when the rows of other tables are inserted.
 */
const SKIPPED_TABLES = /^(sqlite_|kysely_)|^(deletion_pauses|derivative_totals|account_totals)$/;

/** Opens a SQLite file to copy from. `tables` lists each table after those that it refers to. */
export function openSource(path: string) {
  const file = new Database(path, { readonly: true, strict: true, safeIntegers: true });

  const names = () =>
    file
      // The indexes of searches are virtual tables, and the tables that SQLite keeps those in.
      .query<{ name: string }, []>(
        "select name from pragma_table_list where schema = 'main' and type = 'table'",
      )
      .all()
      .map(({ name }) => name)
      .filter((name) => !SKIPPED_TABLES.test(name));
  const keyOf = (table: string) =>
    file
      .query<{ name: string }, [string]>(
        'select name from pragma_table_info(?) where pk > 0 order by pk',
      )
      .all(table)
      .map(({ name }) => name);
  const parentsOf = (table: string) =>
    file
      .query<{ parent: string }, [string]>(
        'select distinct "table" as parent from pragma_foreign_key_list(?)',
      )
      .all(table)
      .map(({ parent }) => parent);

  return {
    tables(): Table[] {
      const waiting = new Set(names());
      const sorted: Table[] = [];
      while (waiting.size > 0) {
        const ready = [...waiting].filter((name) =>
          parentsOf(name).every((parent) => parent === name || !waiting.has(parent)),
        );
        if (ready.length === 0) throw new Error(`${[...waiting].join(', ')} refer to each other`);
        for (const name of ready) {
          waiting.delete(name);
          sorted.push({ name, key: keyOf(name) });
        }
      }
      return sorted;
    },

    /** Returns the rows in the order of the key, which the ledger's triggers require. */
    rows({ name, key }: Table): Iterable<Row> {
      const order = key.map((column) => `"${column}"`).join(', ');
      return file.query<Row, []>(`select * from "${name}" order by ${order || 'rowid'}`).iterate();
    },

    close: () => file.close(),
  };
}

export type Source = ReturnType<typeof openSource>;

/** Inserts rows of one table, which all have the same columns. */
export async function insertRows(tx: Executor, { name }: Table, rows: Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map(
    (row) => sql`(${sql.join(columns.map((column) => row[column] ?? null))})`,
  );
  await sql`insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))})
    values ${sql.join(values)}`.execute(tx);
}

/** Reads all rows of a table in batches, in no particular order. */
export async function* rowsOf(tx: Executor, { name }: Table): AsyncGenerator<Row> {
  await sql`declare transferred no scroll cursor for select * from ${sql.table(name)}`.execute(tx);
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(FETCH_BATCH_SIZE)} from transferred`.execute(
      tx,
    );
    yield* rows;
    if (rows.length < FETCH_BATCH_SIZE) break;
  }
  await sql`close transferred`.execute(tx);
}

/** Deletes all rows of a table. */
export async function emptyTable(tx: Executor, { name }: Table): Promise<void> {
  await sql`delete from ${sql.table(name)}`.execute(tx);
}
