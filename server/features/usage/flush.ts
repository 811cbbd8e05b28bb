import { HOUR, MINUTE } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import { byBucket, type Sent } from './counter.ts';
import { dayOf, hourOf } from './periods.ts';
import * as store from './store.ts';

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
