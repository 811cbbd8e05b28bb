import { SECOND } from '../../../server/contract/limits.ts';
import { ApiError } from '../../runtime/api-error.ts';

const LONGEST_WAIT = 30 * SECOND;
/** No answer, too many at once, or a proxy that says the server is away. */
const PASSING = [0, 408, 425, 429, 502, 503, 504];

/** The browser says 'no answer' too when it can't read the file that it should send. */
const UNREADABLE = 'unreadable';

export const isTransient = (error: unknown): error is ApiError =>
  error instanceof ApiError && PASSING.includes(error.status) && error.details.code !== UNREADABLE;

/** The server asks to come back later. */
export const isBusy = (error: unknown): error is ApiError =>
  isTransient(error) && typeof error.details.retryAfter === 'number';

/** How long to wait after so many failures in a row, in ms: 1, 2, 4 … 30 s, or what the server said. */
export const retryDelayMs = (failures: number, { details }: ApiError) =>
  details.retryAfter ?? Math.min(LONGEST_WAIT, SECOND * 2 ** Math.min(failures - 1, 10));

/**
 * Does `attempt` until it has an answer, for as long as it takes: a lost connection is no error.
 * It must be one that can be done twice. Throws what will not pass, and the signal's reason.
 * @param options.onPause called each time nothing came, before the wait
 * @param options.passes which failures to wait for, all that may pass unless said
 */
export async function withRetry<Result>(
  attempt: () => Promise<Result>,
  options: {
    signal?: AbortSignal;
    onPause?: (failure: ApiError) => void;
    passes?: (error: unknown) => error is ApiError;
  } = {},
): Promise<Result> {
  const { passes = isTransient } = options;
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!passes(error)) throw error;
      options.onPause?.(error);
      await backOnlineOr(retryDelayMs(failures, error), options.signal);
    }
  }
}

/** The same for sending a file, which may change, or go with its disk, while it is being sent. */
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

/** Waits `ms`, or until the browser says that it is online again. Throws the signal's reason. */
function backOnlineOr(ms: number, signal?: AbortSignal): Promise<void> {
  const done = new AbortController();
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const options = { signal: done.signal };
    done.signal.addEventListener('abort', () => clearTimeout(timer));
    globalThis.addEventListener('online', () => resolve(), options);
    signal?.addEventListener('abort', () => reject(signal.reason), options);
  }).finally(() => done.abort());
}
