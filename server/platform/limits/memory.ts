import { RateLimiterMemory } from 'rate-limiter-flexible';
import { SECOND } from '../../contract/limits.ts';
import { asLimiter } from './limiter.ts';
import type { Limits } from './port.ts';

/** For one process: a restart forgets what was counted. */
export function openMemoryLimits(): Limits {
  return {
    limiter: ({ name, points, duration }) =>
      asLimiter(new RateLimiterMemory({ keyPrefix: name, points, duration: duration / SECOND })),
    close: async () => {},
  };
}
