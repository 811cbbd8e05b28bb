import { sql } from 'kysely';
import type { Executor } from '../../platform/db/port.ts';
import type { Row, Table } from './source-store.ts';

const FETCH_BATCH_SIZE = 500;

/** Inserts rows of one table, which all have the same columns. */
export async function insertRows(tx: Executor, { name }: Table, rows: Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map(
    (row) => sql`(${sql.join(columns.map((column) => row[column] ?? null))})`,
  );
  await sql`insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))})
    values ${sql.join(values)}`.execute(tx);
}

/** Reads all rows of a table back, in no order, a batch at a time. */
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
