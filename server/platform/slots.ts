import { SECOND } from '../contract/limits.ts';
import { unavailable } from '../errors.ts';

const PATIENCE = 10 * SECOND;

/**
 * So many at once; others wait in line, and not for ever. `run` throws AppError unavailable where
 * no place was given up in time.
 * @param text what to say then
 */
export function createSlots(most: number, text: string, patience: number = PATIENCE) {
  let free = most;
  const line = new Set<() => void>();

  const wait = () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const enter = () => {
      clearTimeout(clock);
      resolve();
    };
    const clock = setTimeout(() => {
      line.delete(enter);
      reject(unavailable(text, patience));
    }, patience);
    line.add(enter);
    return promise;
  };

  return async function run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (free > 0) free -= 1;
    else await wait();
    try {
      return await work();
    } finally {
      const [first] = line;
      if (first) {
        line.delete(first);
        first();
      } else free += 1;
    }
  };
}
