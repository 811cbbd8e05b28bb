import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/** What a store takes: the database, or the transaction that its caller has open. */
export type Executor = Kysely<Tables>;
export type Tx = Transaction<Tables>;

export type Database = {
  engine: 'sqlite' | 'postgres';
  db: Executor;
  /**
   * Runs `work` in one transaction. On SQLite it takes the write lock at once. On PostgreSQL others
   * may undo it, by a deadlock or a unique value that they take first, and then it is run again: it
   * looks before it writes, and does nothing that stays but through `tx`.
   */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** Throws when the database doesn't answer. */
  check(): Promise<void>;
  close(): Promise<void>;
};

/** A truth value as both engines store it. */
export type SqlBoolean = 0 | 1;

/**
 * A BIGINT as a number. Both engines hand out 64-bit integers in forms that JSON and
 * arithmetic can't take; past 2^53 a number would be wrong, so that throws instead.
 */
export function toNumber(value: bigint | string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} does not fit a number`);
  return number;
}
