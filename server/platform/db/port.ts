import { type Kysely, PostgresAdapter, type Transaction } from 'kysely';
import type { Statement } from './batch.ts';
import type { Tables } from './tables.ts';

/** What a store takes: the database, or a transaction that its caller has opened. */
export type Executor = Kysely<Tables>;
export type Tx = Transaction<Tables>;

export type Database = {
  engine: 'sqlite' | 'postgres';
  db: Executor;
  /**
   * Runs `work` in one transaction. On SQLite it takes the write lock at once. On PostgreSQL a deadlock or
   * a unique value that another transaction takes first undoes it, and `work` runs again. It must therefore
   * read before it writes, and have no lasting effect except through `tx`, which `afterCommit` keeps for the end. A
   * guard in it that fails is told as in `batch`.
   *
   * So that two transactions don't deadlock, rows that others change too are locked in this order: payments,
   * challenges, users, ledger_accounts, upload_sessions, media, files, buckets, api_keys, access_tokens, usage_changes,
   * usage_hours, usage_days, file_bandwidth, file_requests, derivatives, and the totals that triggers write; several rows of one
   * table in the order of their keys. The advisory lock of a bucket comes before media, files and its own row. Jobs, pending deletes and the growth of a file come at any time after what they are about.
   */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /**
   * Runs statements in one transaction, all or none. Nothing is read in between, so on SQLite they are one
   * message, and nobody waits for the event loop meanwhile. The guards of statements replace the reads: where
   * a number of rows is not the expected one, the batch is undone, and the promise rejects with what the
   * statement says, else a GuardFailedError. The order of locks is that of `transaction`; a deadlock is tried
   * again. A unique value that is taken is an error at once, as no other try could change it. Returns the rows that
   * each statement returns.
   */
  batch(statements: Statement[]): Promise<unknown[][]>;
  /** Throws when the database does not respond. */
  check(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Whether a database is PostgreSQL, where a query can lock the rows that it reads. SQLite has one writer, which excludes
 * all others until it commits.
 */
export const isOnPostgres = (db: Executor): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter;

/** A boolean as both engines store it. */
export type SqlBoolean = 0 | 1;

/**
 * Converts a BIGINT to a number. Both engines return 64-bit integers in forms that JSON and arithmetic
 * can't take. Throws RangeError past 2^53, where the number would be wrong.
 */
export function toNumber(value: bigint | string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} does not fit a number`);
  return number;
}
