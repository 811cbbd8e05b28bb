import { setImmediate } from 'node:timers/promises';
import type { Database } from '../db/port.ts';
import { replaceSealed, type SealedColumn, type SealedRow, sealedRows } from './reseal-store.ts';
import { type KeyRing, type Keys, mac, seal, unseal } from './secrets.ts';

const BATCH_SIZE = 100;

/** Everything in the database that is encrypted with a key of the secret. */
const SEALED_COLUMNS: SealedColumn[] = [
  {
    table: 'api_keys',
    column: 'key_sealed',
    use: 'api-key-seal',
    context: 'bucket_id',
    lookup: { column: 'key_hash', use: 'api-key-lookup' },
  },
  {
    table: 'buckets',
    column: 'webhook_secret_sealed',
    use: 'webhook-secret-seal',
    context: 'id',
  },
  {
    table: 'webhook_deliveries',
    column: 'target_sealed',
    use: 'webhook-target-seal',
    context: 'id',
  },
  { table: 's3_keys', column: 'secret_sealed', use: 's3-key-seal', context: 'id' },
  { table: 's3_imports', column: 'secret_sealed', use: 's3-import-seal', context: 'id' },
  { table: 'bucket_sources', column: 'secret_sealed', use: 's3-import-seal', context: 'id' },
  { table: 'jobs', column: 'payload', use: 'mail-seal', context: 'subject', jobKind: 'mail' },
];

type Sources = { database: Database; keys: Keys };

/**
 * Encrypts everything again that is not encrypted with the current secret, a slice at a time, and
 * returns how many values. It can be killed at any time, run again, and run beside itself and a server:
 * a value that has changed meanwhile is left alone, as whoever changed it has the current secret.
 */
export async function resealAll(
  { database, keys }: Sources,
  signal?: AbortSignal,
): Promise<number> {
  let count = 0;
  for await (const { column, rows } of staleSlices({ database, keys })) {
    signal?.throwIfAborted();
    await database.transaction(async (tx) => {
      for (const row of rows) {
        const text = unseal(keys.all(column.use), sealedIn(column, row), row.context);
        const value = wrap(column, seal(keys(column.use), text, row.context));
        const lookupMac = column.lookup ? mac(keys(column.lookup.use), text) : null;
        if (await replaceSealed(tx, column, row, { value, mac: lookupMac })) count += 1;
      }
    });
    // Requests have their turn between two slices.
    await setImmediate();
  }
  return count;
}

/** Returns how many values only the previous secret opens. */
export async function countStale(sources: Sources): Promise<number> {
  let count = 0;
  for await (const { rows } of staleSlices(sources)) count += rows.length;
  return count;
}

/** Yields the rows whose value the previous secret opens and the current one does not, in slices. */
async function* staleSlices({ database, keys }: Sources) {
  for (const column of SEALED_COLUMNS) {
    for (let after = ''; ; ) {
      const slice = await sealedRows(database.db, column, after, BATCH_SIZE);
      const last = slice.at(-1);
      if (!last) break;
      const rows = slice.filter((row) => isStale(keys, column, row));
      if (rows.length > 0) yield { column, rows };
      after = last.id;
    }
  }
}

/** A value that no secret opens is damaged, and stays as it is. */
function isStale(keys: Keys, column: SealedColumn, row: SealedRow): boolean {
  const opens = (ring: KeyRing) => {
    try {
      unseal(ring, sealedIn(column, row), row.context);
      return true;
    } catch {
      return false;
    }
  };
  return !opens([keys(column.use)]) && opens(keys.all(column.use));
}

/** The payload of a job is JSON. */
const sealedIn = ({ jobKind }: SealedColumn, { value }: SealedRow): string =>
  jobKind ? JSON.parse(value).sealed : value;
const wrap = ({ jobKind }: SealedColumn, sealed: string): string =>
  jobKind ? JSON.stringify({ sealed }) : sealed;
