import { RateLimiterMemory } from 'rate-limiter-flexible';
import { SECOND } from '../../contract/limits.ts';
import { asLimiter } from './limiter.ts';
import type { Limits } from './port.ts';

/** Opens limits for a single process. A restart resets all counts. */
export function openMemoryLimits(): Limits {
  return {
    limiter: ({ name, points, duration }) =>
      asLimiter(new RateLimiterMemory({ keyPrefix: name, points, duration: duration / SECOND })),
    close: async () => {},
  };
}
