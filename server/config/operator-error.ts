import { AppError, isUnavailable } from '../errors.ts';

/** What whoever runs the program can put right: said in one line each, without a stack. */
export class OperatorError extends Error {
  override name = 'OperatorError';
}

/** What to print of a failure: its sentence where a person can do something about it, else its stack. */
export function messageOf(error: unknown): string {
  if (error instanceof OperatorError || isUsageError(error)) return error.message;
  if (isUnavailable(error)) return `${error.text} ${(error.cause as Error)?.message ?? ''}`.trim();
  if (error instanceof AppError) return error.text;
  if (isFull(error)) return 'The disk is full. Free up space for DATA_DIR and start again.';
  return String((error as Error)?.stack ?? error);
}

/** Of `parseArgs`: a word on the command line that it does not know. */
const isUsageError = (error: unknown): error is Error =>
  error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');

/** Of SQLite, which can't even lock a file then, and of the system. */
const isFull = (error: unknown): boolean =>
  ['SQLITE_FULL', 'ENOSPC'].includes(String((error as { code?: unknown } | null)?.code));
