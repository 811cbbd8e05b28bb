import { MINUTE } from '../contract/limits.ts';

/** How old `last_used_at` may become before it is written again, so that not every request writes. */
const USE_INTERVAL_MS = MINUTE;
/** How many keys are noted as used until they are written; the next request notes what was left out. */
const MAX_NOTED_USES = 10_000;
const BATCH_SIZE = 500;

/** Notes which keys are used, and writes it once a minute at most. */
export class KeyUses {
  private readonly used = new Set<string>();

  /** Notes that a key is used at `now`, unless its row says so. Times are epoch milliseconds. */
  note(key: { id: string; last_used_at: number | null }, now: number): void {
    const isNoted = key.last_used_at !== null && key.last_used_at > now - USE_INTERVAL_MS;
    if (!isNoted && this.used.size < MAX_NOTED_USES) this.used.add(key.id);
  }

  /**
   * Writes which keys were used since the last time. What fails is noted again by the next request.
   * @param write stores the time of some keys, except where one later than `after` is stored
   */
  async write(
    now: number,
    write: (ids: string[], now: number, after: number) => Promise<void>,
  ): Promise<void> {
    const ids = [...this.used].sort();
    this.used.clear();
    for (let from = 0; from < ids.length; from += BATCH_SIZE) {
      await write(ids.slice(from, from + BATCH_SIZE), now, now - USE_INTERVAL_MS);
    }
  }
}
