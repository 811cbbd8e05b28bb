import { Kysely, PostgresDialect, sql } from 'kysely';
import { type ClientBase, types } from 'pg';
import { runWithCommits } from './after-commit.ts';
import { explainGuards, runStatements } from './batch.ts';
import { type Database, type Executor, type Tx, toNumber } from './port.ts';
import { connectionTo, TranslatingPool } from './postgres-client.ts';
import { isRace, isSerializationFailure } from './postgres-errors.ts';
import { DEFAULT_TIMEOUTS, sessionSettings, type Timeouts } from './postgres-session.ts';
import { StatementNames } from './statement-names.ts';
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

const DEFAULT_POOL_SIZE = 10;

/**
 * Opens a pool of connections to the server at `url`.
 * @param options.readOnly makes the database reject every change
 * @param options.poolSize the most connections
 * @param options.hasPooler whether a pooler is at `url`, behind which a session has no settings but those of
 *   `setRoleDefaults`
 * @param options.timeouts null for work that may take as long as it needs; so may everything that only reads
 */
export function openPostgres(
  url: string,
  {
    readOnly = false,
    poolSize = DEFAULT_POOL_SIZE,
    hasPooler = false,
    timeouts = readOnly ? null : DEFAULT_TIMEOUTS,
  }: {
    readOnly?: boolean;
    poolSize?: number;
    hasPooler?: boolean;
    timeouts?: Timeouts | null;
  } = {},
): Database {
  const settings = sessionSettings(timeouts, { isReadOnly: readOnly });
  const pool = new TranslatingPool({
    ...connectionTo(url, timeouts?.queryMs ?? 0),
    ...(!hasPooler && {
      onConnect: async (client: ClientBase) => void (await client.query(settings)),
    }),
    // What may take as long as it needs changes tables under its own statements, as migrations do.
    ...(!hasPooler && timeouts && { statements: new StatementNames() }),
    max: poolSize,
    types: { getTypeParser: parsers },
  });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    engine: 'postgres',
    db,
    transaction: (work) =>
      runWithCommits(work, (watched) =>
        explainGuards(() => inTransaction(db, watched, isSerializationFailure)),
      ),
    batch: (statements) =>
      explainGuards(() => inTransaction(db, (tx) => runStatements(tx, statements), isRace)),
    async check() {
      const { rows } = await sql<{ state: string }>`
        select current_setting('transaction_read_only') as state`.execute(db);
      // A standby, and a server whose disk is nearly full, answer every query but accept no change.
      if (!readOnly && rows[0]?.state === 'on') throw new Error('The database is read-only.');
    },
    close: () => db.destroy(),
  };
}

/** Runs a transaction, again where it fails with an error that `isRetried`. */
async function inTransaction<Result>(
  db: Executor,
  work: (tx: Tx) => Promise<Result>,
  isRetried: (error: unknown) => boolean,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isRetried(error)) throw error;
    }
  }
}
