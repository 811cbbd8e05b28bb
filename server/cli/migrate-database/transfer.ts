import { OperatorError } from '../../config/operator-error.ts';
import type { Executor } from '../../platform/db/port.ts';
import { emptyTable, insertRows, type Row, rowsOf, type Source, type Table } from './store.ts';

const INSERT_BATCH_SIZE = 500;

const BITS = 128n;
const HEX_DIGITS = 32;

export type Transferred = { table: string } & Checksum;

/**
 * Copies every table into a database with the same schema, reads it back, and compares counts and
 * checksums. `tx` is the transaction of the target, so that a failure leaves it unchanged. Throws
 * OperatorError where a table differs.
 */
export async function transferAll(source: Source, tx: Executor): Promise<Transferred[]> {
  const done: Transferred[] = [];
  for (const table of source.tables()) {
    // Rows that a migration has inserted are copied from the source too.
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

/**
 * The number of a table's rows, and a checksum of their values that does not depend on their order.
 */
type Checksum = { rows: number; sum: string };

/**
 * Creates a checksum for the rows of either engine. A number and a bigint of the same value are
 * equal.
 */
function createChecksum() {
  let rows = 0;
  let sum = 0n;
  return {
    add(row: Record<string, unknown>): void {
      const text = JSON.stringify(
        Object.keys(row)
          .sort()
          .map((column) => [column, canonical(row[column])]),
      );
      const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex');
      sum = BigInt.asUintN(Number(BITS), sum + BigInt(`0x${hash.slice(0, HEX_DIGITS)}`));
      rows += 1;
    },
    result: (): Checksum => ({ rows, sum: sum.toString(16).padStart(HEX_DIGITS, '0') }),
  };
}

function canonical(value: unknown): [string, string] | null {
  if (value === null) return null;
  if (typeof value === 'string') return ['text', value];
  if (typeof value === 'number' || typeof value === 'bigint') return ['number', String(value)];
  throw new TypeError(`a column holds a ${typeof value}, which is not copied`);
}
