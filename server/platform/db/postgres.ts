import { Kysely, PostgresDialect, sql } from 'kysely';
import { Client, type ClientBase, Pool, types } from 'pg';
import { MINUTE } from '../../contract/limits.ts';
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

const DEFAULT_POOL_SIZE = 10;
/**
 * No transaction waits for anything but the database, so one that is idle has lost its process. Its
 * locks would last until the server notices the broken connection, which can take two hours.
 */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = MINUTE;

/** They are statements, because a pooler refuses them as parameters of a connection. */
const READ_ONLY = 'set default_transaction_read_only = on';
const READ_WRITE = `set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_TIMEOUT_MS}`;

/**
 * Opens a pool of connections to the server at `url`.
 * @param options.readOnly makes the database reject every change
 * @param options.poolSize the most connections
 * @param options.hasPooler whether a pooler is at `url`, behind which a session has no settings
 */
export function openPostgres(
  url: string,
  { readOnly = false, poolSize = DEFAULT_POOL_SIZE, hasPooler = false } = {},
): Database {
  const pool = new TranslatingPool({
    connectionString: url,
    ...(!hasPooler && {
      onConnect: async (client: ClientBase) =>
        void (await client.query(readOnly ? READ_ONLY : READ_WRITE)),
    }),
    max: poolSize,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
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
