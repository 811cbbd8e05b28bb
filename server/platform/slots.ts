import { SECOND } from '../contract/limits.ts';
import { unavailable } from '../errors.ts';
import { FairLimiter } from './fair-limiter.ts';

const DEFAULT_WAIT_TIMEOUT_MS = 10 * SECOND;
/** Each call that waits holds a request open. */
const MAX_WAITING = 1000;

/**
 * Limits how many calls of `run` work at the same time. Others wait in line, and throw AppError unavailable
 * when no slot is free in time, or 1,000 calls wait. The keys that wait take turns.
 * @param max how many work at the same time, of which `maxPerKey` for one key
 * @param text the message of that error
 */
export function createSlots(
  max: number,
  text: string,
  { waitTimeoutMs = DEFAULT_WAIT_TIMEOUT_MS, maxPerKey = max } = {},
) {
  const refusal = () => unavailable(text, waitTimeoutMs);
  const waiting = { waiting: MAX_WAITING, waitingPerKey: MAX_WAITING };
  const limits = { running: max, runningPerKey: maxPerKey, ...waiting };
  const limiter = new FairLimiter(limits, refusal);

  return function run<Result>(work: () => Promise<Result>, key = ''): Promise<Result> {
    const abort = new AbortController();
    const clock = setTimeout(() => abort.abort(refusal()), waitTimeoutMs);
    const begin = () => {
      clearTimeout(clock);
      return work();
    };
    return limiter.run(key, begin, abort.signal);
  };
}
