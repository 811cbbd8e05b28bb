/**
 * Returns a function that runs at most `maxConcurrency` pieces of work at a time. The others wait
 * in the order in which they came. Work whose signal is aborted while
 * it waits is never started and rejects with the signal's reason at once; the limiter does not
 * interrupt work that has started.
 */
export function createLimiter(maxConcurrency: number) {
  const line = new Set<() => void>();
  let running = 0;

  function waitInLine(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const enter = () => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const leave = () => {
      line.delete(enter);
      reject(signal.reason);
    };
    line.add(enter);
    signal.addEventListener('abort', leave);
    return promise;
  }

  return async function limited<Value>(
    work: () => Promise<Value>,
    signal: AbortSignal,
  ): Promise<Value> {
    signal.throwIfAborted();
    if (running >= maxConcurrency) await waitInLine(signal);
    else running += 1;
    try {
      return await work();
    } finally {
      // The place is handed to the next in line without being freed, so that no newcomer overtakes.
      const [next] = line;
      if (next) {
        line.delete(next);
        next();
      } else running -= 1;
    }
  };
}
