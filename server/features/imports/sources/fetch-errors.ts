import { SECOND } from '../../../contract/limits.ts';
import { AppError, conflict, tooMany, unavailable } from '../../../errors.ts';
import { RemoteBucketError } from '../../../platform/storage/remote-bucket.ts';
import { PAUSE_MS } from './fetch-memory.ts';

const RETRY_AFTER_MS = 5 * SECOND;

/** What is fetched has been deleted meanwhile, its source removed, or its bucket closed. */
export const NOT_WANTED = conflict('The file is not wanted any more.');

/** For more files than wait. */
export const tooManyFetches = () =>
  unavailable('Too many files of this account are being fetched. Try again.', RETRY_AFTER_MS);

/** For a file that takes longer than clients wait. */
export const stillFetching = () =>
  unavailable('The file is being fetched. Try again in a moment.', RETRY_AFTER_MS);

/** @param waitMs after how many milliseconds it can be tried again */
export const notFetched = (waitMs = 0) =>
  unavailable(
    'The file could not be fetched from where it is stored. Try again later.',
    Math.max(PAUSE_MS, waitMs),
  );

/** For who asks for many files that the source does not have. */
export const tooManyMisses = (waitMs: number) =>
  tooMany('You have requested too many files that do not exist. Try again later.', waitMs);

/** Returns why a file could not be fetched, as a sentence for the owner of its bucket. */
export function reasonOf(error: unknown): string {
  if (error instanceof AppError) return error.text;
  return error instanceof RemoteBucketError ? error.message : 'An unexpected error occurred.';
}
