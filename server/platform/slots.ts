import { createLimiter } from '../contract/limiter.ts';
import { SECOND } from '../contract/limits.ts';
import { unavailable } from '../errors.ts';

const DEFAULT_WAIT_TIMEOUT_MS = 10 * SECOND;

/**
 * So many at once; others wait in line, and not for ever. `run` throws AppError unavailable where
 * no place was given up in time.
 * @param text what to say then
 */
export function createSlots(
  max: number,
  text: string,
  waitTimeoutMs: number = DEFAULT_WAIT_TIMEOUT_MS,
) {
  const limited = createLimiter(max);

  return function run<Result>(work: () => Promise<Result>): Promise<Result> {
    const waiting = new AbortController();
    const clock = setTimeout(() => waiting.abort(unavailable(text, waitTimeoutMs)), waitTimeoutMs);
    const begin = () => {
      clearTimeout(clock);
      return work();
    };
    return limited(begin, waiting.signal);
  };
}
