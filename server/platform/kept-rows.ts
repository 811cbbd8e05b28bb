import { LRUCache } from 'lru-cache';
import { SECOND } from '../contract/limits.ts';
import { growingTo } from './growing-cache.ts';

/**
 * Rows whose changes are published are read again after this time, where an event was lost as a process has died after
 * its commit. With the clock of the cache, which ticks each tenth of a second, that is 4 s.
 */
const TTL_MS = 3.9 * SECOND;
const TTL_RESOLUTION_MS = SECOND / 10;

/**
 * Rows that every request looks up, by a key. What hears that one has changed drops it. That there is none is not kept.
 */
export class KeptRows<Row extends object> {
  private readonly rows: LRUCache<string, Row>;
  private drops = 0;

  /** @param maxRows how many are kept at most */
  constructor(maxRows: number) {
    this.rows = new LRUCache({
      ...growingTo(maxRows),
      ttl: TTL_MS,
      ttlResolution: TTL_RESOLUTION_MS,
    });
  }

  /**
   * Returns the row of a key, which is loaded where it is not here; undefined where there is none.
   * @param isKept whether a loaded row may be kept; true by default
   */
  async find(
    key: string,
    load: () => Promise<Row | undefined>,
    isKept: (row: Row) => boolean = () => true,
  ): Promise<Row | undefined> {
    const known = this.rows.get(key);
    if (known) return known;
    const { drops } = this;
    const row = await load();
    // One that was read before a change must not be kept after it.
    if (row && drops === this.drops && isKept(row)) this.rows.set(key, row);
    return row;
  }

  /** Drops the rows that a change is about. */
  drop(isAbout: (row: Row) => boolean): void {
    this.drops += 1;
    for (const [key, row] of this.rows.entries()) if (isAbout(row)) this.rows.delete(key);
  }

  /** Drops all rows, as changes may have been missed. */
  clear(): void {
    this.drop(() => true);
  }
}
