import { totalmem } from 'node:os';
import { MIB, SECOND } from '../../../contract/limits.ts';
import { unavailable } from '../../../errors.ts';

/** What one upload may hold: a part that is sent, one that is gathered, one read ahead. */
const EACH = 16 * MIB;
const PATIENCE = 10 * SECOND;

/** How many uploads may hold their parts at once: a quarter of the memory for all of them. */
export function mostAtOnce(): number {
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(256, Math.max(8, Math.floor(Math.min(limit, totalmem()) / 4 / EACH)));
}

/**
 * So many at once; others wait in line, and not for ever. `run` throws AppError unavailable where
 * no place was given up in time.
 */
export function createSlots(most: number, patience: number = PATIENCE) {
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
      reject(unavailable('Too many uploads at once. Try again soon.', patience));
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
