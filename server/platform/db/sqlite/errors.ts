import { SECOND } from '../../../contract/limits.ts';
import { type AppError, storageFull, upstreamUnavailable } from '../../../errors.ts';
import { GUARD_FAILED, GuardFailedError } from '../batch.ts';
import { DEADLINE_CODE } from './deadline.ts';
import type { Answer, Outcome, ThreadError } from './protocol.ts';

const RETRY_AFTER_MS = 2 * SECOND;

/** The error where the database can't take a statement now, or did not finish it in time. */
export const databaseBusy = (cause: unknown): AppError =>
  upstreamUnavailable(
    cause,
    'The database is not responding. Try again in a moment.',
    RETRY_AFTER_MS,
  );

/** Returns the answer of an outcome, or throws its error as callers know it. */
export function unwrap(outcome: Outcome | undefined): Answer {
  if (outcome && 'answer' in outcome) return outcome.answer;
  throw translateSqliteError(outcome?.error ?? new Error('The database thread did not answer.'));
}

/** Returns what a caller of the database gets for an error of SQLite. */
export function translateSqliteError(error: ThreadError): Error {
  const { name, message, index, ...codes } = error;
  if (error.code === GUARD_FAILED) return new GuardFailedError(index ?? 0);
  const own = Object.assign(new Error(message), { name }, codes);
  if (error.code === 'SQLITE_FULL') return storageFull(own);
  if (error.code === 'SQLITE_BUSY' || error.code === DEADLINE_CODE) return databaseBusy(own);
  return own;
}
