/** How long one slice should keep the database busy. */
const SLICE_MS = 10;
/** Others get as much time as the slice took, but the work also goes on while the database is slow. */
const MIN_PAUSE_MS = 1;
const MAX_PAUSE_MS = 50;
/** A commit and the way to the database take their time however few rows there are: 30 ms and more. */
const MIN_LIMIT = 256;
/** Some statements name each row, and both engines bound the number of parameters. */
const MAX_LIMIT = 4096;

/**
 * Returns how many rows the next slice takes. Limits are powers of two, so that statements which name each
 * row have few different texts, and prepared ones are used again.
 */
export function nextLimit(limit: number, elapsedMs: number): number {
  if (elapsedMs > SLICE_MS * 1.5) return Math.max(MIN_LIMIT, limit / 2);
  if (elapsedMs < SLICE_MS / 2) return Math.min(MAX_LIMIT, limit * 2);
  return limit;
}

/**
 * Does long work on the database in slices of about 10 ms, and lets others in between. Each slice is
 * complete by itself, so that the work can be stopped after any of them and repeated.
 * @param step does the work for at most `limit` rows and returns for how many it did; fewer end the work
 * @param signal ends the work between two slices, which then rejects with the signal's reason
 * @returns the number of all rows
 */
export async function inSlices(
  step: (limit: number) => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  for (let limit = MIN_LIMIT; ; ) {
    signal?.throwIfAborted();
    const startedAt = performance.now();
    const count = await step(limit);
    total += count;
    if (count < limit) return total;
    const elapsedMs = performance.now() - startedAt;
    limit = nextLimit(limit, elapsedMs);
    await Bun.sleep(Math.min(Math.max(elapsedMs, MIN_PAUSE_MS), MAX_PAUSE_MS));
  }
}
