import { Kysely, PostgresDialect, sql } from 'kysely';
import { Client, Pool, types } from 'pg';
import { type Database, type Tx, toNumber } from './port.ts';
import { isSerializationFailure, toDatabaseError } from './postgres-errors.ts';
import type { Tables } from './tables.ts';

const INT8 = 20;
const NUMERIC = 1700;

/**
 * PostgreSQL returns `sum()` over BIGINT as NUMERIC. The tables hold no fractions, so that fits a number
 * too.
 */
const parsers: typeof types.getTypeParser = ((oid: number, format: 'text' | 'binary') =>
  oid === INT8 || oid === NUMERIC
    ? toNumber
    : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser;

/** How often a transaction is tried that others overtake. */
const MAX_ATTEMPTS = 5;

// biome-ignore lint/suspicious/noExplicitAny: as pg declares its many forms of calling these two
type Anything = any;

class TranslatingClient extends Client {
  constructor(...parameters: ConstructorParameters<typeof Client>) {
    super(...parameters);
    // A query that uses a broken connection reports the failure. Without a listener, this event would end
    // the process too.
    this.on('error', () => {});
  }
  override query(...parameters: Anything[]): Anything {
    const result: unknown = super.query(...(parameters as Parameters<Client['query']>));
    return result instanceof Promise ? toDatabaseError(result) : result;
  }
}

class TranslatingPool extends Pool {
  override connect(...parameters: Anything[]): Anything {
    const result: unknown = super.connect(...(parameters as [Anything]));
    return result instanceof Promise ? toDatabaseError(result) : result;
  }
}

/** Opens a pool of connections to the server at `url`. With `readOnly` the database rejects every change. */
export function openPostgres(url: string, { readOnly = false } = {}): Database {
  const pool = new TranslatingPool({
    connectionString: url,
    ...(readOnly && { options: '-c default_transaction_read_only=on' }),
    max: 10,
    connectionTimeoutMillis: 10_000,
    types: { getTypeParser: parsers },
    Client: TranslatingClient,
  });
  // The pool replaces an idle connection that the server closes. Without a listener, this event would end
  // the process.
  pool.on('error', () => {});
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    engine: 'postgres',
    db,
    async transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await db.transaction().execute(work);
        } catch (error) {
          if (attempt === MAX_ATTEMPTS || !isSerializationFailure(error)) throw error;
        }
      }
    },
    async check() {
      const { rows } = await sql<{ state: string }>`
        select current_setting('transaction_read_only') as state`.execute(db);
      // A standby, and a server whose disk is nearly full, answer every query but accept no change.
      if (!readOnly && rows[0]?.state === 'on') throw new Error('The database is read-only.');
    },
    close: () => db.destroy(),
  };
}
