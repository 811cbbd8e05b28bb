import { Kysely, PostgresDialect, sql } from 'kysely';
import { Client, Pool, types } from 'pg';
import { storageFull } from '../../errors.ts';
import { toNumber } from './numbers.ts';
import type { Database } from './port.ts';
import type { Tables } from './tables.ts';

const INT8 = 20;
const NUMERIC = 1700;

/** `sum()` over BIGINT is NUMERIC in PostgreSQL; the tables hold no fractions. */
const parsers: typeof types.getTypeParser = ((oid: number, format: 'text' | 'binary') =>
  oid === INT8 || oid === NUMERIC
    ? toNumber
    : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser;

/** disk_full: PostgreSQL's own disk, of which the caller hears as of ours. */
const DISK_FULL = '53100';

class TranslatingClient extends Client {
  // biome-ignore lint/suspicious/noExplicitAny: as pg declares its many forms of calling it
  override query(...parameters: any[]): any {
    const result: unknown = super.query(...(parameters as Parameters<Client['query']>));
    if (!(result instanceof Promise)) return result;
    return result.catch((error) => {
      throw error?.code === DISK_FULL ? storageFull() : error;
    });
  }
}

/** Opens a pool on the server that `url` names; the database refuses every change where `readOnly`. */
export function openPostgres(url: string, { readOnly = false } = {}): Database {
  const pool = new Pool({
    connectionString: url,
    ...(readOnly && { options: '-c default_transaction_read_only=on' }),
    max: 10,
    connectionTimeoutMillis: 10_000,
    types: { getTypeParser: parsers },
    Client: TranslatingClient,
  });
  // An idle connection that the server ends is replaced at the next query; without a listener it would end us.
  pool.on('error', () => {});
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    engine: 'postgres',
    db,
    transaction: (work) => db.transaction().execute(work),
    async check() {
      await sql`select 1`.execute(db);
    },
    close: () => db.destroy(),
  };
}
