import { LRUCache } from 'lru-cache';
import { KIB, MIB, MINUTE, SECOND } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';

/** How long an object that is missing is not asked for again, so that nobody can have the other server asked for it all the time. */
export const MISSING_TTL_MS = 30 * SECOND;
/** How long a server that did not answer is not asked again. */
export const PAUSE_MS = 5 * SECOND;
/** How often a source is asked for what it does not have, as other names come at no cost. */
export const MAX_MISSES_PER_MINUTE = 3000;

const MAX_BYTES = 4 * MIB;
const ENTRY_BYTES = KIB / 4;
const MAX_SOURCES = 10_000;

/** Why nothing is fetched for a path: its source does not have it, or can't send it. */
export type Answer = 'missing' | 'refused';

/** What the last fetches of this process have found out, by the ids of sources, of which each setting is another one. */
export class FetchMemory {
  private readonly answers = new LRUCache<string, { answer: Answer; until: number }>({
    maxSize: MAX_BYTES,
    sizeCalculation: (_answer, key) => ENTRY_BYTES + 2 * key.length,
  });
  private readonly pauses = new LRUCache<string, number>({ max: MAX_SOURCES });
  private readonly misses = new LRUCache<string, { count: number; until: number }>({
    max: MAX_SOURCES,
  });

  constructor(private readonly clock: Clock) {}

  /** Returns what is known of a path of a source; undefined where it has to be asked. */
  answerOf(sourceId: string, path: string): Answer | undefined {
    const known = this.answers.get(keyOf(sourceId, path));
    return known && this.clock() < known.until ? known.answer : undefined;
  }

  /** Keeps what a source has answered. */
  setAnswer(sourceId: string, path: string, answer: Answer): void {
    const until = this.clock() + MISSING_TTL_MS;
    this.answers.set(keyOf(sourceId, path), { answer, until });
    const counted = this.misses.get(sourceId);
    const isCurrent = counted !== undefined && this.clock() < counted.until;
    if (isCurrent) counted.count += 1;
    else this.misses.set(sourceId, { count: 1, until: this.clock() + MINUTE });
  }

  /** Keeps a source from being asked for a moment. */
  pause(sourceId: string): void {
    this.pauses.set(sourceId, this.clock() + PAUSE_MS);
  }

  /** Returns for how many milliseconds a source must not be asked; 0 where it may be. */
  waitOf(sourceId: string): number {
    const now = this.clock();
    const counted = this.misses.get(sourceId);
    const isSpent = counted !== undefined && counted.count >= MAX_MISSES_PER_MINUTE;
    const until = Math.max(this.pauses.get(sourceId) ?? 0, isSpent ? counted.until : 0);
    return Math.max(0, until - now);
  }
}

/** No id has a slash. */
const keyOf = (sourceId: string, path: string) => `${sourceId}/${path}`;
