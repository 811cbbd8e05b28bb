import type { Clock } from '../../platform/clock.ts';
import { hourOf } from './periods.ts';

/** Bytes sent in one hour, by file and by bucket. */
export type Sent = {
  hour: number;
  files: Map<string, { bucketId: string; bytes: number }>;
};

/**
 * Counts bytes sent, in memory, until they are taken. It is as large as the number of files sent
 * since: what is written keeps it small, and no file is found for sending without the database.
 */
export function createCounter(clock: Clock) {
  let current: Sent = { hour: hourOf(clock()), files: new Map() };
  let earlier: Sent[] = [];

  const add = (sent: Sent, fileId: string, bucketId: string, bytes: number) => {
    const known = sent.files.get(fileId);
    if (known) known.bytes += bytes;
    else sent.files.set(fileId, { bucketId, bytes });
  };

  return {
    count(bucketId: string, fileId: string, bytes: number): void {
      const hour = hourOf(clock());
      if (hour !== current.hour) {
        if (current.files.size > 0) earlier.push(current);
        current = { hour, files: new Map() };
      }
      add(current, fileId, bucketId, bytes);
    },

    /** What has been counted, which begins anew. */
    take(): Sent[] {
      const taken = [...earlier, current].filter(({ files }) => files.size > 0);
      earlier = [];
      current = { hour: hourOf(clock()), files: new Map() };
      return taken;
    },

    /** Puts back what could not be written. */
    giveBack(taken: Sent[]): void {
      for (const sent of taken) {
        const same = [...earlier, current].find(({ hour }) => hour === sent.hour);
        if (!same) earlier.push(sent);
        else for (const [id, { bucketId, bytes }] of sent.files) add(same, id, bucketId, bytes);
      }
    },
  };
}

/** The same by bucket. */
export function byBucket({ files }: Sent): Map<string, number> {
  const buckets = new Map<string, number>();
  for (const { bucketId, bytes } of files.values()) {
    buckets.set(bucketId, (buckets.get(bucketId) ?? 0) + bytes);
  }
  return buckets;
}
