import { createLimiter } from '../contract/limiter.ts';
import { SECOND } from '../contract/limits.ts';
import { unavailable } from '../errors.ts';

const PATIENCE = 10 * SECOND;

/**
 * So many at once; others wait in line, and not for ever. `run` throws AppError unavailable where
 * no place was given up in time.
 * @param text what to say then
 */
export function createSlots(most: number, text: string, patience: number = PATIENCE) {
  const limited = createLimiter(most);

  return function run<Result>(work: () => Promise<Result>): Promise<Result> {
    const waiting = new AbortController();
    const clock = setTimeout(() => waiting.abort(unavailable(text, patience)), patience);
    const begin = () => {
      clearTimeout(clock);
      return work();
    };
    return limited(begin, waiting.signal);
  };
}
