import { LRUCache } from 'lru-cache';
import { KIB, MIB, SECOND } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';

/** How long an object that is missing is not asked for again, so that nobody can have the other server asked for it all the time. */
export const MISSING_TTL_MS = 30 * SECOND;
/** How long a server that did not answer is not asked again. */
export const PAUSE_MS = 5 * SECOND;

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
  }

  /** Keeps a source from being asked for a moment. */
  pause(sourceId: string): void {
    this.pauses.set(sourceId, this.clock() + PAUSE_MS);
  }

  /** Returns for how many milliseconds a source must not be asked; 0 where it may be. */
  waitOf(sourceId: string): number {
    return Math.max(0, (this.pauses.get(sourceId) ?? 0) - this.clock());
  }
}

/** No id has a slash. */
const keyOf = (sourceId: string, path: string) => `${sourceId}/${path}`;
