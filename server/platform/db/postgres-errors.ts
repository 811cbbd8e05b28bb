import { SECOND } from '../../contract/limits.ts';
import { AppError, invalid, storageFull, upstreamUnavailable } from '../../errors.ts';

/** disk_full: PostgreSQL's own disk is full, which callers are told like a full disk of the server. */
const DISK_FULL = '53100';
/** character_not_in_repertoire: the text contains a NUL, which no browser sends. */
const INVALID_TEXT = '22021';
/**
 * The codes of connection exceptions, of a server that starts or stops, of too many connections and of what
 * took too long (postgres-session.ts), then those of the operating system and of Bun's own client.
 */
const UNAVAILABLE_CODES =
  /^(08...|57P0[1235]|53300|57014|55P03|25P03|ECONN.*|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_POSTGRES_CONNECTION_.*|ERR_POSTGRES_IDLE_TIMEOUT|ERR_POSTGRES_LIFETIME_TIMEOUT)$/;
/** Messages of pg that come without a code. */
const UNAVAILABLE_MESSAGES =
  /^(Connection terminated|timeout e|Query read timeout|Client has encountered a connection error|Client was closed)/;
/** read_only_sql_transaction: the server has become a standby, and another one takes its place. */
const READ_ONLY = '25006';
const RETRY_AFTER_MS = 2 * SECOND;

type Failure = { code?: unknown; message?: unknown };

/** Whether pg has stopped waiting for the result of a query. The server may still be working on it. */
export const isReadTimeout = (error: unknown): boolean =>
  (error as Failure | null)?.message === 'Query read timeout';

/**
 * Returns what a caller of the database gets for a failure: an AppError where the failure may pass or the
 * disk is full, else the error itself.
 */
export function translateErrors(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const { code, message } = (error ?? {}) as Failure;
  if (code === DISK_FULL) return storageFull(error);
  if (code === READ_ONLY) {
    const text = 'The database is read-only right now. Try again in a moment.';
    return upstreamUnavailable(error, text, RETRY_AFTER_MS);
  }
  if (code === INVALID_TEXT)
    return invalid("The request contains a NUL character, which isn't allowed.");
  if (!UNAVAILABLE_CODES.test(String(code)) && !UNAVAILABLE_MESSAGES.test(String(message)))
    return error;
  return upstreamUnavailable(
    error,
    'The database is not responding. Try again in a moment.',
    RETRY_AFTER_MS,
  );
}

/** Whether the server of a connection accepts no changes, and another one may. */
export const isReadOnlyServer = (error: unknown): boolean =>
  (error as Failure | null)?.code === READ_ONLY;

/** Awaits a call to the database with its failures translated. */
export async function toDatabaseError<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw translateErrors(error);
  }
}

/** deadlock_detected, serialization_failure. */
const RACE_CODES = ['40P01', '40001'];
/** The same and unique_violation, after which reads find the row that was there first. */
const CONFLICT_CODES = [...RACE_CODES, '23505'];

/**
 * Whether a session refuses a statement that it keeps, because the tables have changed since. The message may be in
 * another language.
 */
export function isStalePlan(error: unknown): boolean {
  const { code, routine } = (error ?? {}) as Failure & { routine?: unknown };
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}

/**
 * Whether another transaction came first, so that this one was undone. When it runs again it reads what the
 * other one wrote.
 */
export const isSerializationFailure = (error: unknown): boolean =>
  CONFLICT_CODES.includes(String((error as Failure | null)?.code)) || isStalePlan(error);

/** Whether the same statements may succeed when they run again. */
export const isRace = (error: unknown): boolean =>
  RACE_CODES.includes(String((error as Failure | null)?.code)) || isStalePlan(error);
