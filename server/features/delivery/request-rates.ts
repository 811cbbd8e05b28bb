import { LRUCache } from 'lru-cache';
import { MINUTE } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { growingTo } from '../../platform/growing-cache.ts';

/** How many clients and files are counted at the same time, in about 10 MiB. Then the oldest start at zero. */
const MAX_KEYS = 50_000;

/** Counts requests by key in each minute of the clock, in this process. */
export class RequestRates {
  private readonly counts = new LRUCache<string, number>(growingTo(MAX_KEYS));
  private minute = 0;

  constructor(private readonly clock: Clock) {}

  /** Counts a request. Returns 0, or past the limit the milliseconds until the next minute. */
  take(key: string, limit: number): number {
    const now = this.clock();
    const minute = Math.floor(now / MINUTE);
    if (minute !== this.minute) {
      this.minute = minute;
      this.counts.clear();
    }
    const count = this.counts.get(key) ?? 0;
    if (count >= limit) return (minute + 1) * MINUTE - now;
    this.counts.set(key, count + 1);
    return 0;
  }
}
