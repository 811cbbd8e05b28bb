import { Failure } from './failure.ts';

/**
 * Repeats work for as long as what it depends on is unavailable, because a restart of a database or a storage
 * must not cost the result of hours. Rejects with the last error once `signal` has aborted, and with any
 * other error at once.
 */
export async function retryWhileUnavailable<Result>(
  work: () => Promise<Result>,
  { signal, intervalMs }: { signal: AbortSignal; intervalMs: number },
): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isUnavailable = error instanceof Failure && error.code === 'unavailable';
      if (signal.aborted || !isUnavailable || error.retry !== 'later') throw error;
      await pause(intervalMs, signal);
    }
  }
}

/** Resolves after some milliseconds, or once the signal has aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const onAbort = () => {
    clearTimeout(timer);
    resolve();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return promise.finally(() => signal.removeEventListener('abort', onAbort));
}
