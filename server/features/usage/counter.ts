import { HOUR, MINUTE } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import type { BucketOwners } from './bucket-owners.ts';
import { dayOf, hourOf } from './periods.ts';
import * as store from './store.ts';

type Tally = { bucketId: string; bytes: number };

/** The bytes that were sent in one hour, by file. */
type HourlyBytes = {
  hour: number;
  files: Map<string, Tally>;
};

/**
 * Counts bytes sent, in memory, until they are taken. Its size is the number of files sent since
 * the last take. Regular writes keep it small, as no file is sent without a lookup in the database.
 */
export class BytesSentCounter {
  readonly #clock: Clock;
  readonly #totals: { bytesOut: number };
  #current: HourlyBytes;
  #earlier: HourlyBytes[] = [];

  /** @param totals gains every byte as well */
  constructor(clock: Clock, totals: { bytesOut: number }) {
    this.#clock = clock;
    this.#totals = totals;
    this.#current = this.#emptyHour();
  }

  /**
   * Returns a function that counts bytes of one file. A sender keeps it, so that the file's tally
   * is looked up once.
   */
  counterOf(bucketId: string, fileId: string): (bytes: number) => void {
    let [hourly, tally]: [HourlyBytes | null, Tally] = [null, { bucketId, bytes: 0 }];
    return (bytes) => {
      this.#totals.bytesOut += bytes;
      const current = this.#currentHour();
      if (hourly !== current) [hourly, tally] = [current, tallyOf(current, fileId, bucketId)];
      tally.bytes += bytes;
    };
  }

  /** Returns what has been counted, and starts again at zero. */
  take(): HourlyBytes[] {
    const hours = [...this.#earlier, this.#current].filter(({ files }) => files.size > 0);
    this.#earlier = [];
    this.#current = this.#emptyHour();
    return hours;
  }

  /** Puts back what could not be written. */
  restore(hours: HourlyBytes[]): void {
    for (const hourly of hours) {
      const same = [...this.#earlier, this.#current].find(({ hour }) => hour === hourly.hour);
      if (!same) this.#earlier.push(hourly);
      else {
        for (const [id, { bucketId, bytes }] of hourly.files) {
          tallyOf(same, id, bucketId).bytes += bytes;
        }
      }
    }
  }

  #emptyHour(): HourlyBytes {
    return { hour: hourOf(this.#clock()), files: new Map() };
  }

  #currentHour(): HourlyBytes {
    const hour = hourOf(this.#clock());
    if (hour !== this.#current.hour) {
      if (this.#current.files.size > 0) this.#earlier.push(this.#current);
      this.#current = { hour, files: new Map() };
    }
    return this.#current;
  }
}

function tallyOf({ files }: HourlyBytes, fileId: string, bucketId: string): Tally {
  const existing = files.get(fileId);
  if (existing) return existing;
  const tally = { bucketId, bytes: 0 };
  files.set(fileId, tally);
  return tally;
}

/** Adds the bytes of an hour's files up by bucket. */
export function byBucket({ files }: HourlyBytes): Map<string, number> {
  const buckets = new Map<string, number>();
  for (const { bucketId, bytes } of files.values()) {
    buckets.set(bucketId, (buckets.get(bucketId) ?? 0) + bytes);
  }
  return buckets;
}

/** How long after its end an hour usually still grows, in milliseconds; then it can be charged. */
export const HOUR_SETTLE_TIME_MS = MINUTE;

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);

/**
 * Writes counts, all or nothing. Bytes whose hour may be charged already count towards the current
 * one. Those of a deleted bucket whose owner is forgotten count towards its days only.
 */
export async function writeHours(
  deps: { database: Database; clock: Clock; owners: BucketOwners },
  hours: HourlyBytes[],
): Promise<void> {
  const { database, clock, owners } = deps;
  const sums = hours.map((hourly) => {
    const now = clock();
    const isChargeable = now >= hourly.hour + HOUR + HOUR_SETTLE_TIME_MS;
    return { hour: isChargeable ? hourOf(now) : hourly.hour, buckets: byBucket(hourly), hourly };
  });
  const users = await owners.of(database.db, [
    ...new Set(sums.flatMap(({ buckets }) => [...buckets.keys()])),
  ]);
  await database.transaction(async (tx) => {
    for (const { hour, buckets } of sums)
      await store.addToHours(tx, hourRows(hour, buckets, users));
    for (const { hour, buckets, hourly } of sums) {
      const day = dayOf(hour);
      await store.addToDays(
        tx,
        [...buckets].sort(byKey).map(([bucket_id, bandwidth]) => ({ bucket_id, day, bandwidth })),
      );
      await store.addToFiles(
        tx,
        'file_bandwidth',
        [...hourly.files].sort(byKey).map(([file_id, { bytes }]) => ({ file_id, day, bytes })),
      );
    }
  });
}

/** Returns the rows in the order of their keys. */
function hourRows(hour: number, buckets: Map<string, number>, users: Map<string, string>) {
  const rows = [...buckets].flatMap(([bucket_id, bandwidth]) => {
    const user_id = users.get(bucket_id);
    return user_id === undefined ? [] : [{ user_id, bucket_id, hour, bandwidth }];
  });
  return rows.sort((a, b) =>
    a.user_id === b.user_id ? byText(a.bucket_id, b.bucket_id) : byText(a.user_id, b.user_id),
  );
}

const byText = (a: string, b: string) => (a < b ? -1 : 1);
