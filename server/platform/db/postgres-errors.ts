import { SECOND } from '../../contract/limits.ts';
import { AppError, invalid, storageFull, upstreamUnavailable } from '../../errors.ts';

/** disk_full: PostgreSQL's own disk, of which the caller hears as of ours. */
const DISK_FULL = '53100';
/** character_not_in_repertoire: a text with a NUL in it, which only a program sends. */
const NO_TEXT = '22021';
/**
 * Connection exceptions, a server that stops or starts, too many connections; then what the system
 * says, and Bun's own client.
 */
const AWAY =
  /^(08...|57P0[123]|53300|ECONN.*|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_POSTGRES_CONNECTION_.*|ERR_POSTGRES_IDLE_TIMEOUT|ERR_POSTGRES_LIFETIME_TIMEOUT)$/;
/** What pg says without a code. */
const AWAY_TEXT =
  /^(Connection terminated|timeout e|Client has encountered a connection error|Client was closed)/;
const RETRY_AFTER = 2 * SECOND;

type Failure = { code?: unknown; message?: unknown };

/** What a caller of the database gets for a failure: an AppError where it may pass, or the disk is full. */
export function translateErrors(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const { code, message } = (error ?? {}) as Failure;
  if (code === DISK_FULL) return storageFull(error);
  if (code === NO_TEXT)
    return invalid("The request contains a NUL character, which isn't allowed.");
  if (!AWAY.test(String(code)) && !AWAY_TEXT.test(String(message))) return error;
  return upstreamUnavailable(
    error,
    'The database is not responding. Try again in a moment.',
    RETRY_AFTER,
  );
}

/** Runs what speaks to the database, with its failures translated. */
export async function toDatabaseError<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw translateErrors(error);
  }
}

/** deadlock_detected, serialization_failure, unique_violation. */
const OVERTAKEN = ['40P01', '40001', '23505'];

/**
 * Another transaction came first, and this one was undone. What it looked at has changed: done again,
 * it finds what the other wrote, a value that is taken too.
 */
export const isSerializationFailure = (error: unknown): boolean =>
  OVERTAKEN.includes(String((error as Failure | null)?.code));
