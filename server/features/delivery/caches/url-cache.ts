import { KIB, SECOND } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';

/**
 * The limit is five times two thousand files that are requested all the time, with their ranges.
 */
const MAX_ENTRIES = 10_000;
/** The URL of a private file with its token is shorter. Longer URLs could fill the memory. */
const MAX_URL_LENGTH = KIB;

/**
 * Creates a cache by whole URL. It is emptied at the end of every second: tokens expire at whole seconds, so
 * no URL is authorized here longer than without the cache. An entry whose rows have changed is not returned.
 */
export function createUrlCache<Found extends { isCurrent(): boolean }>(clock: Clock) {
  const entries = new Map<string, Found>();
  let second = 0;

  return {
    get(url: string): Found | undefined {
      const now = Math.floor(clock() / SECOND);
      if (now !== second) {
        second = now;
        entries.clear();
        return undefined;
      }
      const found = entries.get(url);
      if (!found || found.isCurrent()) return found;
      entries.delete(url);
      return undefined;
    },

    /** Adds an entry that was found after a `get` in the same turn of the event loop. */
    set(url: string, entry: Found): void {
      if (entries.size < MAX_ENTRIES && url.length <= MAX_URL_LENGTH) entries.set(url, entry);
    },
  };
}
