import { createLimiter } from '../contract/limiter.ts';
import { SECOND } from '../contract/limits.ts';
import { unavailable } from '../errors.ts';

const DEFAULT_WAIT_TIMEOUT_MS = 10 * SECOND;

/**
 * Limits how many calls of `run` work at the same time. Others wait in line, and throw AppError unavailable
 * when no slot is free in time.
 * @param text the message of that error
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
