/**
 * Returns the options of an LRUCache that holds at most `maxEntries` and takes memory as it fills. With the
 * option `max` it reserves the memory of a full cache when it is created: 2 MB for 50,000 entries with a TTL.
 */
export const growingTo = (maxEntries: number) => ({
  maxSize: maxEntries,
  sizeCalculation: () => 1,
});
