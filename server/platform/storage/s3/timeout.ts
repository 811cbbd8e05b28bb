import type { S3Client } from '@aws-sdk/client-s3';

type Strategy = Awaited<ReturnType<S3Client['config']['retryStrategy']>>;
type Tokens = Extract<Strategy, { acquireInitialRetryToken: unknown }>;

/**
 * The library's own strategy, but none of its attempts begins later than `all` milliseconds after the
 * first: it counts them only, and ten that nobody answers are ten minutes.
 */
export function withTimeout(usual: Strategy, all: number): Strategy {
  if (!('acquireInitialRetryToken' in usual))
    throw new Error('The S3 library retries in a new way.');
  const begun = new WeakMap<object, number>();
  const limited: Tokens = {
    async acquireInitialRetryToken(scope) {
      const token = await usual.acquireInitialRetryToken(scope);
      begun.set(token, performance.now());
      return token;
    },
    async refreshRetryTokenForRetry(token, failure) {
      const since = begun.get(token) ?? performance.now();
      if (performance.now() - since >= all) throw failure.error;
      const next = await usual.refreshRetryTokenForRetry(token, failure);
      begun.set(next, since);
      return next;
    },
    recordSuccess: (token) => usual.recordSuccess(token),
  };
  return limited;
}
