import { KIB, SECOND } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';

/**
 * The limit is five times two thousand files that are requested all the time, with their ranges.
 */
const MAX_ENTRIES = 10_000;
/** The URL of a private file with its token is shorter. Longer URLs could fill the memory. */
const MAX_URL_LENGTH = KIB;

/**
 * A cache of what URLs may open. It is emptied at the end of every second: tokens expire at whole seconds, so
 * no URL is authorized here longer than without the cache. An entry whose rows have changed is not returned.
 */
export class AuthorizedUrlCache<Entry extends { isCurrent(): boolean }> {
  private readonly entries = new Map<string, Entry>();
  private second = 0;

  constructor(private readonly clock: Clock) {}

  get(url: string): Entry | undefined {
    const now = Math.floor(this.clock() / SECOND);
    if (now !== this.second) {
      this.second = now;
      this.entries.clear();
      return undefined;
    }
    const entry = this.entries.get(url);
    if (!entry || entry.isCurrent()) return entry;
    this.entries.delete(url);
    return undefined;
  }

  /** Adds an entry that was found after a `get` in the same turn of the event loop. */
  set(url: string, entry: Entry): void {
    if (this.entries.size < MAX_ENTRIES && url.length <= MAX_URL_LENGTH)
      this.entries.set(url, entry);
  }
}
