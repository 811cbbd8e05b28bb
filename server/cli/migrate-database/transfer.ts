import { sql } from 'kysely';
import type { Executor } from '../../platform/db/port.ts';
import { OperatorError } from '../operator-error.ts';
import { type Checksum, createChecksum } from './checksum.ts';
import type { Row, Source, Table } from './source.ts';

const BATCH = 500;

export type Transferred = { table: string } & Checksum;

/**
 * Copies every table into a database of the same schema and compares counts and checksums, which are
 * of what was read and of what is read back. `tx` is the target's transaction, so that a failure leaves
 * nothing. Throws OperatorError where a table differs afterwards.
 */
export async function transferAll(source: Source, tx: Executor): Promise<Transferred[]> {
  const done: Transferred[] = [];
  for (const table of source.tables()) {
    // What a migration has put there comes from the source.
    if ((await countOf(tx, table)) > 0) await sql`delete from ${sql.table(table.name)}`.execute(tx);
    const read = await copyTable(source, tx, table);
    const written = await checksumOf(tx, table);
    if (read.rows !== written.rows || read.sum !== written.sum) {
      throw new OperatorError(
        `${table.name} has ${read.rows} rows (${read.sum}) in SQLite, and ${written.rows} (${written.sum}) in PostgreSQL. Nothing was kept.`,
      );
    }
    done.push({ table: table.name, ...written });
  }
  return done;
}

async function copyTable(source: Source, tx: Executor, table: Table): Promise<Checksum> {
  const checksum = createChecksum();
  let batch: Row[] = [];
  for (const row of source.rows(table)) {
    checksum.add(row);
    batch.push(row);
    if (batch.length < BATCH) continue;
    await insert(tx, table, batch);
    batch = [];
  }
  if (batch.length > 0) await insert(tx, table, batch);
  return checksum.result();
}

async function insert(tx: Executor, { name }: Table, rows: Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map(
    (row) => sql`(${sql.join(columns.map((column) => row[column] ?? null))})`,
  );
  await sql`insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))})
    values ${sql.join(values)}`.execute(tx);
}

async function checksumOf(tx: Executor, { name }: Table): Promise<Checksum> {
  const checksum = createChecksum();
  await sql`declare transferred no scroll cursor for select * from ${sql.table(name)}`.execute(tx);
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(BATCH)} from transferred`.execute(tx);
    for (const row of rows) checksum.add(row);
    if (rows.length < BATCH) break;
  }
  await sql`close transferred`.execute(tx);
  return checksum.result();
}

async function countOf(tx: Executor, { name }: Table): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from ${sql.table(name)}`.execute(tx);
  return rows[0]?.count ?? 0;
}
