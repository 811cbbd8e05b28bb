import {
  type RateLimiterAbstract,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { SECOND } from '../../contract/limits.ts';
import { connectionTo, TranslatingPool } from '../db/postgres-client.ts';
import { toDatabaseError, translateErrors } from '../db/postgres-errors.ts';
import { DEFAULT_TIMEOUTS } from '../db/postgres-session.ts';
import { tooManyAttempts } from './limiter.ts';
import type { Limiter, Limits } from './port.ts';

/** Runs queries without the names that the library gives them, which a pooler does not allow. */
class UnnamedPool extends TranslatingPool {
  // biome-ignore lint/suspicious/noExplicitAny: as pg declares the many forms of calling this
  override query(query: any, ...rest: any[]): any {
    return super.query({ ...query, name: undefined }, ...(rest as []));
  }
}

/** Opens limits that all processes on one database share. A migration creates the table. */
export function openPostgresLimits({ url }: { url: string }): Limits {
  const pool = new UnnamedPool({ ...connectionTo(url, DEFAULT_TIMEOUTS.queryMs), max: 3 });
  return {
    limiter: ({ name, points, duration }) =>
      asLimiter(
        new RateLimiterPostgres({
          storeClient: pool,
          // Without it the library reads the class name of the client, which a minified build shortens.
          storeType: 'pool',
          tableName: 'rate_limits',
          tableCreated: true,
          clearExpiredByTimeout: true,
          keyPrefix: name,
          points,
          duration: duration / SECOND,
        }),
      ),
    close: () => pool.end(),
  };
}

/** Adapts a limiter of rate-limiter-flexible to the port. */
function asLimiter(library: RateLimiterAbstract): Limiter {
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
