import { LRUCache } from 'lru-cache';

/** Deliveries under way at once: of this process, of one bucket, and of one that fails. */
const ALL = 32;
const OF_ONE = 4;
const OF_FAILING = 1;
const REMEMBERED = 1_000;

/**
 * Shares the deliveries that may be under way out among the buckets, so that those to a dead or slow
 * endpoint, which take their full time, leave room for all others.
 */
export function createDeliverySlots() {
  const taken = new Map<string, number>();
  const failing = new LRUCache<string, true>({ max: REMEMBERED });
  let all = 0;

  const isFull = ([bucketId, count]: [string, number]) =>
    count >= (failing.has(bucketId) ? OF_FAILING : OF_ONE);

  return {
    hasRoom: () => all < ALL,

    /** Buckets of which no more may begin now. Failing ones together get half of the room. */
    crowded(): string[] {
      const full = [...taken].filter(isFull).map(([bucketId]) => bucketId);
      const failed = [...taken.keys()].filter((bucketId) => failing.has(bucketId));
      return failed.length < ALL / 2 ? full : [...new Set([...full, ...failing.keys()])];
    },

    take(bucketId: string) {
      all += 1;
      taken.set(bucketId, (taken.get(bucketId) ?? 0) + 1);
    },

    /** `answered` is whether the endpoint took what it was sent; null where nobody knows. */
    free(bucketId: string, answered: boolean | null) {
      all -= 1;
      const left = (taken.get(bucketId) ?? 1) - 1;
      if (left > 0) taken.set(bucketId, left);
      else taken.delete(bucketId);
      if (answered) failing.delete(bucketId);
      else if (answered === false) failing.set(bucketId, true);
    },
  };
}
