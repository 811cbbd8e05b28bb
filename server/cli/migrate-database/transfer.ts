import { OperatorError } from '../../config/operator-error.ts';
import type { Executor } from '../../platform/db/port.ts';
import { type Checksum, createChecksum } from './checksum.ts';
import type { Row, Source, Table } from './source-store.ts';
import { emptyTable, insertRows, rowsOf } from './target-store.ts';

const INSERT_BATCH_SIZE = 500;

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
    await emptyTable(tx, table);
    const read = await copyTable(source, tx, table);
    const written = await checksumOf(tx, table);
    if (read.rows !== written.rows || read.sum !== written.sum) {
      throw new OperatorError(
        `${table.name} has ${read.rows} rows (${read.sum}) in SQLite and ${written.rows} (${written.sum}) in PostgreSQL. The copy was rolled back.`,
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
    if (batch.length < INSERT_BATCH_SIZE) continue;
    await insertRows(tx, table, batch);
    batch = [];
  }
  if (batch.length > 0) await insertRows(tx, table, batch);
  return checksum.result();
}

async function checksumOf(tx: Executor, table: Table): Promise<Checksum> {
  const checksum = createChecksum();
  for await (const row of rowsOf(tx, table)) checksum.add(row);
  return checksum.result();
}
