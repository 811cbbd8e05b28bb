import type { Clock } from '../../platform/clock.ts';
import { hourOf } from './periods.ts';

type Tally = { bucketId: string; bytes: number; requests: number };
type RequestTally = { requests: number; cached: number };

/** What was sent in one hour: the bytes and requests by file, and the requests by bucket. */
export type HourlyBytes = {
  hour: number;
  files: Map<string, Tally>;
  requests: Map<string, RequestTally>;
};

/**
 * Counts bytes sent and requests, in memory, until they are taken. Its size is the number of files sent since
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
    let [hourly, tally]: [HourlyBytes | null, Tally] = [null, emptyTally(bucketId)];
    return (bytes) => {
      this.totals.bytesOut += bytes;
      const current = this.currentHour();
      if (hourly !== current) [hourly, tally] = [current, tallyOf(current, fileId, bucketId)];
      tally.bytes += bytes;
    };
  }

  /**
   * Returns a function that counts requests for a file and its bucket, and those that were answered from a cache. It reads
   * no clock: a request is counted in the hour of the last byte or take, which is less than a second ago.
   */
  requestCounterOf(bucketId: string, fileId: string): (isCached: boolean) => void {
    let [hourly, tally]: [HourlyBytes | null, RequestTally] = [null, { requests: 0, cached: 0 }];
    let file = emptyTally(bucketId);
    return (isCached) => {
      if (hourly !== this.current) {
        hourly = this.current;
        tally = hourly.requests.get(bucketId) ?? { requests: 0, cached: 0 };
        hourly.requests.set(bucketId, tally);
        file = tallyOf(hourly, fileId, bucketId);
      }
      tally.requests += 1;
      file.requests += 1;
      if (isCached) tally.cached += 1;
    };
  }

  /** Returns what has been counted, and starts again at zero. */
  take(): HourlyBytes[] {
    const hours = [...this.earlier, this.current].filter(isUsed);
    this.earlier = [];
    this.current = this.emptyHour();
    return hours;
  }

  private emptyHour(): HourlyBytes {
    return { hour: hourOf(this.clock()), files: new Map(), requests: new Map() };
  }

  private currentHour(): HourlyBytes {
    const hour = hourOf(this.clock());
    if (hour !== this.current.hour) {
      if (isUsed(this.current)) this.earlier.push(this.current);
      this.current = { hour, files: new Map(), requests: new Map() };
    }
    return this.current;
  }
}

const isUsed = ({ files, requests }: HourlyBytes) => files.size > 0 || requests.size > 0;

const emptyTally = (bucketId: string): Tally => ({ bucketId, bytes: 0, requests: 0 });

function tallyOf({ files }: HourlyBytes, fileId: string, bucketId: string): Tally {
  const existing = files.get(fileId);
  if (existing) return existing;
  const tally = emptyTally(bucketId);
  files.set(fileId, tally);
  return tally;
}

/** Adds the bytes of an hour's files up by bucket. Buckets that have sent none are missing. */
export function byBucket({ files }: HourlyBytes): Map<string, number> {
  const buckets = new Map<string, number>();
  for (const { bucketId, bytes } of files.values()) {
    if (bytes > 0) buckets.set(bucketId, (buckets.get(bucketId) ?? 0) + bytes);
  }
  return buckets;
}
