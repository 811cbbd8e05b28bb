import type { Clock } from '../../platform/clock.ts';
import { hourOf } from './periods.ts';

type Tally = { bucketId: string; bytes: number };

/** Bytes sent in one hour, by file and by bucket. */
export type Sent = {
  hour: number;
  files: Map<string, Tally>;
};

/**
 * Counts bytes sent, in memory, until they are taken. It is as large as the number of files sent
 * since: what is written keeps it small, and no file is found for sending without the database.
 * `totals` gains every byte as well.
 */
export function createCounter(clock: Clock, totals: { bytesOut: number }) {
  let current: Sent = { hour: hourOf(clock()), files: new Map() };
  let earlier: Sent[] = [];

  const tallyOf = ({ files }: Sent, fileId: string, bucketId: string): Tally => {
    const known = files.get(fileId);
    if (known) return known;
    const tally = { bucketId, bytes: 0 };
    files.set(fileId, tally);
    return tally;
  };

  return {
    /** Counts bytes of one file; kept by who sends it often, as it finds the file's tally once. */
    counterOf(bucketId: string, fileId: string): (bytes: number) => void {
      let [sent, tally]: [Sent | null, Tally] = [null, { bucketId, bytes: 0 }];
      return (bytes) => {
        totals.bytesOut += bytes;
        const hour = hourOf(clock());
        if (hour !== current.hour) {
          if (current.files.size > 0) earlier.push(current);
          current = { hour, files: new Map() };
        }
        if (sent !== current) [sent, tally] = [current, tallyOf(current, fileId, bucketId)];
        tally.bytes += bytes;
      };
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
        else {
          for (const [id, { bucketId, bytes }] of sent.files) {
            tallyOf(same, id, bucketId).bytes += bytes;
          }
        }
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
