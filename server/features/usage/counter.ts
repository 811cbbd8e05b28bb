import type { Clock } from '../../platform/clock.ts';
import { hourOf } from './periods.ts';

type Tally = { bucketId: string; bytes: number };

/** The bytes that were sent in one hour, by file. */
export type HourlyBytes = {
  hour: number;
  files: Map<string, Tally>;
};

/**
 * Counts bytes sent, in memory, until they are taken. Its size is the number of files sent since
 * the last take. Regular writes keep it small, as no file is sent without a lookup in the database.
 */
export class BytesSentCounter {
  private readonly clock: Clock;
  private readonly totals: { bytesOut: number };
  private current: HourlyBytes;
  private earlier: HourlyBytes[] = [];

  /** @param totals gains every byte as well */
  constructor(clock: Clock, totals: { bytesOut: number }) {
    this.clock = clock;
    this.totals = totals;
    this.current = this.emptyHour();
  }

  /**
   * Returns a function that counts bytes of one file. A sender keeps it, so that the file's tally
   * is looked up once.
   */
  counterOf(bucketId: string, fileId: string): (bytes: number) => void {
    let [hourly, tally]: [HourlyBytes | null, Tally] = [null, { bucketId, bytes: 0 }];
    return (bytes) => {
      this.totals.bytesOut += bytes;
      const current = this.currentHour();
      if (hourly !== current) [hourly, tally] = [current, tallyOf(current, fileId, bucketId)];
      tally.bytes += bytes;
    };
  }

  /** Returns what has been counted, and starts again at zero. */
  take(): HourlyBytes[] {
    const hours = [...this.earlier, this.current].filter(({ files }) => files.size > 0);
    this.earlier = [];
    this.current = this.emptyHour();
    return hours;
  }

  private emptyHour(): HourlyBytes {
    return { hour: hourOf(this.clock()), files: new Map() };
  }

  private currentHour(): HourlyBytes {
    const hour = hourOf(this.clock());
    if (hour !== this.current.hour) {
      if (this.current.files.size > 0) this.earlier.push(this.current);
      this.current = { hour, files: new Map() };
    }
    return this.current;
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
