/**
 * Returns a function that runs `open` when it is first called, and gives every caller the same result.
 * A failure is not kept: its callers get it, and the next call runs `open` again.
 */
export function memoizeAsync<Result>(open: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | null = null;
  return () => {
    if (result) return result;
    const opening = open().catch((error: unknown) => {
      result = null;
      throw error;
    });
    result = opening;
    return opening;
  };
}
