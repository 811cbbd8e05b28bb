import { AppError, isUnavailable } from '../errors.ts';
import { refusalOf } from './access.ts';

/** A mistake that the operator can fix. It is printed as its message alone, without a stack. */
export class OperatorError extends Error {
  override name = 'OperatorError';
}

/**
 * Returns what to print about a failure: a sentence where a person can do something about it, else the
 * stack.
 */
export function messageOf(error: unknown): string {
  if (error instanceof OperatorError || isUsageError(error)) return error.message;
  if (isUnavailable(error)) return `${error.text} ${(error.cause as Error)?.message ?? ''}`.trim();
  if (error instanceof AppError) return error.text;
  if (isFull(error)) return 'The disk is full. Free up space for DATA_DIR and start again.';
  const refusal = refusalOf(error);
  if (refusal) return `${refusal.text}. ${refusal.remedy}`;
  if (isSqliteError(error)) return `SQLite: ${error.message}. Check DATA_DIR and its disk.`;
  return String((error as Error)?.stack ?? error);
}

/** Whether `parseArgs` has found an unknown word on the command line. */
const isUsageError = (error: unknown): error is Error =>
  error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');

/** Whether SQLite can't use the file itself, for example as it is damaged or something else. */
const isSqliteError = (error: unknown): error is Error =>
  error instanceof Error &&
  'code' in error &&
  /^SQLITE_(CANTOPEN|READONLY|IOERR|CORRUPT|NOTADB|PERM|AUTH)/.test(String(error.code));

/** Whether the disk is full, by the codes of SQLite, which can't lock a file then, and of the system. */
const isFull = (error: unknown): boolean =>
  ['SQLITE_FULL', 'ENOSPC'].includes(String((error as { code?: unknown } | null)?.code));
