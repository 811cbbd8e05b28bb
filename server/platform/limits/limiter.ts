import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { HOUR, MINUTE, SECOND } from '../../contract/limits.ts';
import { type AppError, tooMany } from '../../errors.ts';
import { toDatabaseError, translateErrors } from '../db/postgres-errors.ts';
import type { Limiter } from './port.ts';

/** Adapts a limiter of rate-limiter-flexible to the port. */
export function asLimiter(library: RateLimiterAbstract): Limiter {
  return {
    async take(key) {
      try {
        await library.consume(key);
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw translateErrors(error);
        throw tooManyAttempts(error.msBeforeNext);
      }
    },
    async refund(key) {
      await toDatabaseError(library.reward(key));
    },
  };
}

/** Returns the error for a limit that is reached, after `wait` milliseconds of which it starts again. */
export const tooManyAttempts = (wait: number): AppError =>
  tooMany(`Too many attempts. Try again in ${timeText(wait)}.`, wait);

/** Returns a waiting time for people, rounded up, in the largest unit that fits. */
export function timeText(ms: number): string {
  const [unit, name] =
    ms > HOUR ? [HOUR, 'hour'] : ms > MINUTE ? [MINUTE, 'minute'] : [SECOND, 'second'];
  const count = Math.max(1, Math.ceil(ms / (unit as number)));
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
