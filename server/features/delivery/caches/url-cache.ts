import { KIB, SECOND } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';

/** Two thousand files that are asked for all the time, and their ranges, five times over. */
const MAX_ENTRIES = 10_000;
/** With the token of a private file in it; what is longer could fill memory by itself. */
const URL_MAX = KIB;

/**
 * What whole URLs led to, until the second ends or anything changes: whoever asks for the same in
 * that time is answered by one look. A second, as tokens expire by whole ones, and so nothing is
 * admitted here later than it would be by itself.
 */
export function createUrlCache<Found extends object>(clock: Clock, changes: () => number) {
  const entries = new Map<string, Found>();
  let [second, version] = [0, 0];

  return {
    get(url: string): Found | undefined {
      const now = Math.floor(clock() / SECOND);
      const latest = changes();
      if (now === second && latest === version) return entries.get(url);
      [second, version] = [now, latest];
      entries.clear();
      return undefined;
    },

    /** Of what was found in this same turn of the event loop, after a `get` for it. */
    set(url: string, entry: Found): void {
      if (entries.size < MAX_ENTRIES && url.length <= URL_MAX) entries.set(url, entry);
    },
  };
}
