/**
 * Runs work at most `most` at a time, the rest waiting in the order it came, what is urgent before
 * the rest. Work whose signal is aborted while it waits is never begun and throws the signal's
 * reason at once; of work that has begun the signal ends nothing here.
 */
export function createLimiter(most: number) {
  const lines = { urgent: new Set<() => void>(), other: new Set<() => void>() };
  let running = 0;

  function place(signal: AbortSignal, waiting: Set<() => void>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const enter = () => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const leave = () => {
      waiting.delete(enter);
      reject(signal.reason);
    };
    waiting.add(enter);
    signal.addEventListener('abort', leave);
    return promise;
  }

  return async function limited<Value>(
    work: () => Promise<Value>,
    signal: AbortSignal,
    isUrgent = false,
  ): Promise<Value> {
    signal.throwIfAborted();
    if (running >= most) await place(signal, isUrgent ? lines.urgent : lines.other);
    else running += 1;
    try {
      return await work();
    } finally {
      // The place is handed over, not given back, so that nobody new slips in between.
      const line = lines.urgent.size > 0 ? lines.urgent : lines.other;
      const [next] = line;
      if (next) {
        line.delete(next);
        next();
      } else running -= 1;
    }
  };
}
