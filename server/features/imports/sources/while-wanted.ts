type Options<Result> = {
  /** What to do; its signal is aborted with `reason`, and as `signal` is. */
  work: (signal: AbortSignal) => Promise<Result>;
  isWanted: () => Promise<boolean>;
  reason: Error;
  signal: AbortSignal;
  intervalMs: number;
};

/**
 * Works as long as that is wanted, which is looked up before and at an interval, and returns what the work does. Throws
 * `reason` where it is not wanted any more, and what the work throws.
 */
export async function whileWanted<Result>({
  work,
  isWanted,
  reason,
  signal,
  intervalMs,
}: Options<Result>): Promise<Result> {
  const unwanted = new AbortController();
  const check = async () => {
    // Where the database is unavailable, nothing is known.
    if (!(await isWanted().catch(() => true))) unwanted.abort(reason);
  };
  // It may have waited for its turn.
  await check();
  unwanted.signal.throwIfAborted();
  const checking = setInterval(() => void check(), intervalMs);
  try {
    return await work(AbortSignal.any([signal, unwanted.signal]));
  } catch (error) {
    unwanted.signal.throwIfAborted();
    throw error;
  } finally {
    clearInterval(checking);
  }
}
