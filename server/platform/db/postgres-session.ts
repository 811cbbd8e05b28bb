import { sql } from 'kysely';
import { SECOND } from '../../contract/limits.ts';
import type { Executor } from './port.ts';

/**
 * How long the two sides of a connection wait, in milliseconds. Each waits longer than the one before it, so that
 * what holds others up ends first: when a machine vanishes in the middle of a transaction, those that wait for its
 * locks still get them.
 */
export type Timeouts = {
  /** No transaction waits for anything but the database, so one that is idle has lost its process. */
  idleInTransactionMs: number;
  lockMs: number;
  statementMs: number;
  /** By then PostgreSQL has ended the statement, unless it can't be reached. */
  queryMs: number;
};

export const DEFAULT_TIMEOUTS: Timeouts = {
  idleInTransactionMs: 10 * SECOND,
  lockMs: 15 * SECOND,
  statementMs: 20 * SECOND,
  queryMs: 25 * SECOND,
};

/** When a side of a connection asks whether the other one is still there, and how often it does in vain. */
export type Keepalive = { idleSeconds: number; intervalSeconds: number; count: number };

/**
 * PostgreSQL gives up a vanished machine after 30 s, and we give up PostgreSQL after 20, because our interval is
 * that of Bun: whoever has lost a lock knows it before another process gets it.
 */
export const KEEPALIVE: Keepalive = { idleSeconds: 10, intervalSeconds: 5, count: 4 };

type Settings = Record<string, string | number>;

/** For a few milliseconds of a query, PostgreSQL's compiler takes 25 to 200 when the estimate is large. */
const WITHOUT_COMPILER: Settings = { jit: 'off' };

const waitsOf = ({ idleInTransactionMs, lockMs }: Timeouts): Settings => ({
  idle_in_transaction_session_timeout: idleInTransactionMs,
  lock_timeout: lockMs,
});

/** Returns the statements that make PostgreSQL notice a vanished machine, which otherwise takes it two hours. */
export const keepaliveSettings = ({ idleSeconds, intervalSeconds, count }: Keepalive): string =>
  toStatements({
    tcp_keepalives_idle: idleSeconds,
    tcp_keepalives_interval: intervalSeconds,
    tcp_keepalives_count: count,
    tcp_user_timeout: (idleSeconds + intervalSeconds * count) * SECOND,
  });

/**
 * Returns the statements that set up a new session. They are no parameters of the connection, because a pooler
 * refuses those.
 * @param timeouts null for work that may take as long as it needs, such as migrations
 */
export function sessionSettings(timeouts: Timeouts | null, { isReadOnly = false } = {}): string {
  const waits = timeouts ?? NO_TIMEOUTS;
  const settings = {
    ...WITHOUT_COMPILER,
    ...waitsOf(waits),
    statement_timeout: waits.statementMs,
    ...(isReadOnly && { default_transaction_read_only: 'on' }),
  };
  return `${toStatements(settings)}; ${keepaliveSettings(KEEPALIVE)}`;
}

/**
 * Sets what all sessions of our role start with in this database. Behind a pooler a session keeps nothing that a
 * client sets, and a transaction that a vanished machine has left open is idle at the pooler.
 * @param db connected to PostgreSQL itself
 */
export async function setRoleDefaults(db: Executor): Promise<void> {
  const settings = Object.entries({ ...WITHOUT_COMPILER, ...waitsOf(DEFAULT_TIMEOUTS) });
  const statements = settings.map(
    ([name, value]) =>
      `execute format('alter role %I in database %I set ${name} = ${value}', current_user, current_database());`,
  );
  // PostgreSQL refuses one of two changes that are made at the same time, as when several processes start.
  await sql
    .raw(`do $$ begin perform pg_advisory_xact_lock(${LOCK_ID}); ${statements.join(' ')} end $$`)
    .execute(db);
}

/** The advisory lock of those who change the role. */
const LOCK_ID = 0x726f6c65;

const NO_TIMEOUTS: Timeouts = { idleInTransactionMs: 0, lockMs: 0, statementMs: 0, queryMs: 0 };

const toStatements = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `set ${name} = ${value}`)
    .join('; ');
