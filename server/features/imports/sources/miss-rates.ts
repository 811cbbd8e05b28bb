import { LRUCache } from 'lru-cache';
import { MINUTE } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';

/** How often a source is asked for what it does not have, as other names come at no cost. */
export const MAX_MISSES_PER_MINUTE = 3000;
/** How often one reader has it asked, so that nobody uses up all of that alone. */
export const MAX_MISSES_PER_READER = 500;

const MAX_SOURCES = 10_000;
const MAX_READERS = 50_000;

type Misses = { count: number; until: number };

/** Counts what sources were asked for and did not have, by source and by reader, in this process. */
export class MissRates {
  private readonly ofSources = new LRUCache<string, Misses>({ max: MAX_SOURCES });
  private readonly ofReaders = new LRUCache<string, Misses>({ max: MAX_READERS });

  constructor(private readonly clock: Clock) {}

  /**
   * Counts a miss.
   * @param reader who has asked, such as an address; null for who has no limit but that of the source
   */
  count(sourceId: string, reader: string | null): void {
    this.add(this.ofSources, sourceId);
    if (reader !== null) this.add(this.ofReaders, keyOf(sourceId, reader));
  }

  /** Returns for how many milliseconds a source must not be asked; 0 where it may be. */
  sourceWait(sourceId: string): number {
    return this.waitOf(this.ofSources.get(sourceId), MAX_MISSES_PER_MINUTE);
  }

  /** Returns for how many milliseconds a reader may not have a source asked; 0 where they may. */
  readerWait(sourceId: string, reader: string | null): number {
    return reader === null
      ? 0
      : this.waitOf(this.ofReaders.get(keyOf(sourceId, reader)), MAX_MISSES_PER_READER);
  }

  private add(counts: LRUCache<string, Misses>, key: string): void {
    const now = this.clock();
    const counted = counts.get(key);
    if (counted && now < counted.until) counted.count += 1;
    else counts.set(key, { count: 1, until: now + MINUTE });
  }

  private waitOf(counted: Misses | undefined, most: number): number {
    if (!counted || counted.count < most) return 0;
    return Math.max(0, counted.until - this.clock());
  }
}

/** No id has a space. */
const keyOf = (sourceId: string, reader: string) => `${sourceId} ${reader}`;
