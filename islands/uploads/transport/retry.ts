import { SECOND } from '../../../server/contract/limits.ts';
import { ApiError } from '../../runtime/api-error.ts';

const MAX_DELAY_MS = 30 * SECOND;
/** No response, too many requests, or a proxy that can't reach the server. */
const TRANSIENT_STATUSES = [0, 408, 425, 429, 502, 503, 504];

/** The browser also reports a network error if it can't read the file that it should send. */
const UNREADABLE = 'unreadable';

export const isTransient = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  TRANSIENT_STATUSES.includes(error.status) &&
  error.details.code !== UNREADABLE;

/** The responses after which the server will refuse the same upload every time. */
export const PERMANENT_STATUSES = [400, 404, 410, 413, 415, 422];

/** Returns whether an upload that failed may succeed when it is tried again. */
export const canSucceedLater = (error: unknown): boolean =>
  !(error instanceof ApiError) ||
  !(PERMANENT_STATUSES.includes(error.status) || error.details.code === UNREADABLE);

/** Whether the server has told the client to try again later. */
export const isServerBusy = (error: unknown): error is ApiError =>
  isTransient(error) && typeof error.details.retryAfter === 'number';

/** Returns the delay in ms after so many failures in a row: what the server said, or 1, 2, 4 … 30 s. */
export const retryDelayMs = (failures: number, { details }: ApiError) =>
  details.retryAfter ?? Math.min(MAX_DELAY_MS, SECOND * 2 ** Math.min(failures - 1, 10));

/**
 * Repeats an idempotent `attempt` until it succeeds, without a limit: a lost connection is no error.
 * Throws errors that will not pass, and the signal's reason.
 * @param options.onPause called after each failure, before the delay
 * @param options.shouldRetry which errors to retry after; all transient ones by default
 */
export async function withRetry<Result>(
  attempt: () => Promise<Result>,
  options: {
    signal?: AbortSignal;
    onPause?: (failure: ApiError) => void;
    shouldRetry?: (error: unknown) => error is ApiError;
  } = {},
): Promise<Result> {
  const { shouldRetry = isTransient } = options;
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!shouldRetry(error)) throw error;
      options.onPause?.(error);
      await sleepOrOnline(retryDelayMs(failures, error), options.signal);
    }
  }
}

/** Does the same for sending a file, which may be changed or become unreadable in the meantime. */
export const sendWithRetry = <Result>(
  file: File,
  attempt: () => Promise<Result>,
  options: { signal: AbortSignal; onPause: () => void },
): Promise<Result> =>
  withRetry(
    () =>
      attempt().catch(async (error) => {
        if (isTransient(error)) await checkReadable(file);
        throw error;
      }),
    options,
  );

const checkReadable = (file: File) =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .catch(() => {
      const text = 'The file has changed or can’t be read. Choose it again.';
      throw new ApiError(0, text, { code: UNREADABLE });
    });

/** Waits `ms`, or less if the browser comes back online. Throws the signal's reason. */
function sleepOrOnline(ms: number, signal?: AbortSignal): Promise<void> {
  const done = new AbortController();
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const options = { signal: done.signal };
    done.signal.addEventListener('abort', () => clearTimeout(timer));
    globalThis.addEventListener('online', () => resolve(), options);
    signal?.addEventListener('abort', () => reject(signal.reason), options);
  }).finally(() => done.abort());
}
