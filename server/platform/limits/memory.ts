import { LRUCache } from 'lru-cache';
import { growingTo } from '../growing-cache.ts';
import { tooManyAttempts } from './limiter.ts';
import type { Limiter, Limits } from './port.ts';

/**
 * How many keys a limiter counts, which takes about 10 MiB of memory. Past it, the key that was used
 * least recently starts again at zero. To reset somebody's count, a stranger would need so many requests
 * with other keys, and the requests of a network are limited by a count of their own.
 */
const MAX_KEYS = 50_000;

/** Opens limits for a single process. A restart resets all counts. */
export function openMemoryLimits(): Limits {
  return { limiter: (options) => createLimiter(options), close: async () => {} };
}

function createLimiter({ points, duration }: { points: number; duration: number }): Limiter {
  // Counting on does not extend the time of a key.
  const counts = new LRUCache<string, number>({
    ...growingTo(MAX_KEYS),
    ttl: duration,
    noUpdateTTL: true,
  });
  return {
    async take(key) {
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      if (count > points) throw tooManyAttempts(counts.getRemainingTTL(key));
    },
    async refund(key) {
      const count = counts.get(key);
      if (count !== undefined) counts.set(key, count - 1);
    },
  };
}
