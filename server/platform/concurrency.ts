/**
 * Calls `work` for each item, for at most `limit` of them at the same time. After a failure it takes no
 * further items, waits for those that are being worked on, and throws the first failure.
 */
export async function forEachConcurrent<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // A generator answers calls of `next` one after the other, so that several workers can share it.
  const source = (async function* () {
    yield* items;
  })();
  const worker = async () => {
    for (;;) {
      const { done, value } = await source.next();
      if (done) return;
      try {
        await work(value);
      } catch (error) {
        await source.return();
        throw error;
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: limit }, worker));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/**
 * Calls `work` for each item, for at most `limit` of them at the same time. A failure keeps no other item from its
 * turn; the first one is thrown at the end.
 */
export async function forEachSettled<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let failure: { error: unknown } | null = null;
  await forEachConcurrent(items, limit, async (item) => {
    try {
      await work(item);
    } catch (error) {
      failure ??= { error };
    }
  });
  if (failure) throw (failure as { error: unknown }).error;
}
