import { HOUR, MINUTE } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import { dayOf, hourOf } from './periods.ts';
import * as store from './store.ts';

type Tally = { bucketId: string; bytes: number };

/** Bytes sent in one hour, by file and by bucket. */
type Sent = {
  hour: number;
  files: Map<string, Tally>;
};

/**
 * Counts bytes sent, in memory, until they are taken. Its size is the number of files sent since the
 * last take. Regular writes keep it small, as no file is sent without a lookup in the database.
 */
export class BytesSentCounter {
  readonly #clock: Clock;
  readonly #totals: { bytesOut: number };
  #current: Sent;
  #earlier: Sent[] = [];

  /** @param totals gains every byte as well */
  constructor(clock: Clock, totals: { bytesOut: number }) {
    this.#clock = clock;
    this.#totals = totals;
    this.#current = this.#emptyHour();
  }

  /** Returns a function that counts bytes of one file. A sender keeps it, so that the file's tally is looked up once. */
  counterOf(bucketId: string, fileId: string): (bytes: number) => void {
    let [sent, tally]: [Sent | null, Tally] = [null, { bucketId, bytes: 0 }];
    return (bytes) => {
      this.#totals.bytesOut += bytes;
      const current = this.#currentHour();
      if (sent !== current) [sent, tally] = [current, tallyOf(current, fileId, bucketId)];
      tally.bytes += bytes;
    };
  }

  /** Returns what has been counted, and starts again at zero. */
  take(): Sent[] {
    const taken = [...this.#earlier, this.#current].filter(({ files }) => files.size > 0);
    this.#earlier = [];
    this.#current = this.#emptyHour();
    return taken;
  }

  /** Puts back what could not be written. */
  giveBack(taken: Sent[]): void {
    for (const sent of taken) {
      const same = [...this.#earlier, this.#current].find(({ hour }) => hour === sent.hour);
      if (!same) this.#earlier.push(sent);
      else {
        for (const [id, { bucketId, bytes }] of sent.files) {
          tallyOf(same, id, bucketId).bytes += bytes;
        }
      }
    }
  }

  #emptyHour(): Sent {
    return { hour: hourOf(this.#clock()), files: new Map() };
  }

  #currentHour(): Sent {
    const hour = hourOf(this.#clock());
    if (hour !== this.#current.hour) {
      if (this.#current.files.size > 0) this.#earlier.push(this.#current);
      this.#current = { hour, files: new Map() };
    }
    return this.#current;
  }
}

function tallyOf({ files }: Sent, fileId: string, bucketId: string): Tally {
  const known = files.get(fileId);
  if (known) return known;
  const tally = { bucketId, bytes: 0 };
  files.set(fileId, tally);
  return tally;
}

/** Adds the bytes of an hour's files up by bucket. */
export function byBucket({ files }: Sent): Map<string, number> {
  const buckets = new Map<string, number>();
  for (const { bucketId, bytes } of files.values()) {
    buckets.set(bucketId, (buckets.get(bucketId) ?? 0) + bytes);
  }
  return buckets;
}

/** How long after its end an hour can still grow, in milliseconds; then it can be charged. */
export const HOUR_SETTLES = MINUTE;

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);

/** Writes counts, all or nothing. Bytes whose hour may be charged already count towards the current one. */
export async function writeSent(database: Database, clock: Clock, taken: Sent[]): Promise<void> {
  await database.transaction(async (tx) => {
    for (const sent of taken) {
      const now = clock();
      const isLate = now >= sent.hour + HOUR + HOUR_SETTLES;
      const hour = isLate ? hourOf(now) : sent.hour;
      const day = dayOf(hour);
      const buckets = [...byBucket(sent)].sort(byKey);
      const files = [...sent.files].sort(byKey);
      await store.addToHours(
        tx,
        buckets.map(([bucket_id, bandwidth]) => ({ bucket_id, hour, bandwidth })),
      );
      await store.addToDays(
        tx,
        buckets.map(([bucket_id, bandwidth]) => ({ bucket_id, day, bandwidth })),
      );
      await store.addToFiles(
        tx,
        'file_bandwidth',
        files.map(([file_id, { bytes }]) => ({ file_id, day, bytes })),
      );
    }
  });
}
