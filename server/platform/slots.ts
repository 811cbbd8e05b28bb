import { SECOND } from '../contract/limits.ts';
import { unavailable } from '../errors.ts';
import { FairLimiter } from './fair-limiter.ts';

const DEFAULT_WAIT_TIMEOUT_MS = 10 * SECOND;

/**
 * Limits how many calls of `run` work at the same time. Others wait in line, and throw AppError unavailable
 * when no slot is free in time. The keys that wait take turns.
 * @param max how many work at the same time, of which `maxPerKey` for one key
 * @param text the message of that error
 */
export function createSlots(
  max: number,
  text: string,
  { waitTimeoutMs = DEFAULT_WAIT_TIMEOUT_MS, maxPerKey = max } = {},
) {
  const refusal = () => unavailable(text, waitTimeoutMs);
  const waiting = Number.POSITIVE_INFINITY;
  const limits = { running: max, runningPerKey: maxPerKey, waiting, waitingPerKey: waiting };
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
