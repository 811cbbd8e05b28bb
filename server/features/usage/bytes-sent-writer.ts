import { HOUR, MINUTE } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/db/port.ts';
import type { BucketOwners } from './bucket-owners.ts';
import { type BytesSentCounter, byBucket, type HourlyBytes } from './counter.ts';
import { dayOf, hourOf, monthOf } from './periods.ts';
import { addToAccountStats, addToBucketStats } from './stats-store.ts';
import * as store from './store.ts';

/** How long after its end an hour usually still grows, in milliseconds; then it can be charged. */
export const HOUR_SETTLE_TIME_MS = MINUTE;

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);

type WriterDeps = { database: Database; clock: Clock; owners: BucketOwners };
/** What one transaction writes, and its number among those of this process. */
type Batch = { number: number; hours: HourlyBytes[] };

/**
 * Writes counts of bytes and requests, each once. When the connection breaks before COMMIT is answered, nobody knows
 * whether they were written. So each transaction also writes the number of its batch, and a batch that
 * may have been written is tried again as it is, until the number tells.
 */
export class BytesSentWriter {
  private readonly process = crypto.randomUUID();
  private unconfirmed: Batch | null = null;
  private number = 0;

  constructor(private readonly deps: WriterDeps) {}

  /**
   * Writes what a counter has counted, after what could not be written before, and returns the ids of the
   * buckets. Rejects when it can't; everything is then kept for the next call.
   */
  async write(counter: Pick<BytesSentCounter, 'take'>): Promise<Set<string>> {
    const earlier = this.unconfirmed;
    if (earlier) await this.writeBatch(earlier);
    const hours = counter.take();
    if (hours.length > 0) {
      this.number += 1;
      this.unconfirmed = { number: this.number, hours };
      await this.writeBatch(this.unconfirmed);
    }
    const written = [...(earlier?.hours ?? []), ...hours];
    return new Set(written.flatMap((hourly) => [...byBucket(hourly).keys()]));
  }

  private async writeBatch({ number, hours }: Batch): Promise<void> {
    await writeHours(this.deps, hours, { process: this.process, number });
    this.unconfirmed = null;
  }
}

/**
 * Writes counts, all or nothing, unless the batch was written before. Bytes whose hour may be charged
 * already count towards the current one. Those of a deleted bucket whose owner is forgotten count towards
 * its days only.
 */
async function writeHours(
  { database, clock, owners }: WriterDeps,
  hours: HourlyBytes[],
  batch: { process: string; number: number },
): Promise<void> {
  const sums = hours.map((hourly) => {
    const now = clock();
    const isChargeable = now >= hourly.hour + HOUR + HOUR_SETTLE_TIME_MS;
    return { hour: isChargeable ? hourOf(now) : hourly.hour, buckets: byBucket(hourly), hourly };
  });
  const users = await owners.of(database.db, [
    ...new Set(sums.flatMap(({ buckets }) => [...buckets.keys()])),
  ]);
  await database.transaction(async (tx) => {
    if (!(await store.claimFlush(tx, { ...batch, written_at: clock() }))) return;
    for (const { hour, buckets } of sums)
      await store.addToHours(tx, hourRows(hour, buckets, users));
    for (const { hour, buckets, hourly } of sums) {
      const day = dayOf(hour);
      await store.addToDays(tx, dayRows(day, buckets, hourly.requests));
      await store.addToFiles(
        tx,
        'file_bandwidth',
        [...hourly.files]
          .filter(([, { bytes }]) => bytes > 0)
          .sort(byKey)
          .map(([file_id, { bytes }]) => ({ file_id, day, bytes })),
      );
    }
    await addToStats(tx, sums, users);
  });
}

/** Adds what buckets have sent to them and to their accounts, month by month. */
async function addToStats(
  tx: Tx,
  sums: { hour: number; buckets: Map<string, number> }[],
  users: Map<string, string>,
): Promise<void> {
  const months = Map.groupBy(sums, ({ hour }) => monthOf(hour));
  for (const [month, hours] of [...months].sort(([a], [b]) => a - b)) {
    const buckets = new Map<string, number>();
    const accounts = new Map<string, number>();
    for (const [bucketId, bytes] of hours.flatMap((one) => [...one.buckets])) {
      buckets.set(bucketId, (buckets.get(bucketId) ?? 0) + bytes);
      const userId = users.get(bucketId);
      if (userId !== undefined) accounts.set(userId, (accounts.get(userId) ?? 0) + bytes);
    }
    await addToBucketStats(tx, month, buckets);
    await addToAccountStats(
      tx,
      [...accounts].map(([user_id, bandwidth]) => ({ user_id, stored: 0, month, bandwidth })),
    );
  }
}

/** Returns the rows of a day in the order of their keys. A request can have sent no byte. */
function dayRows(day: number, bytes: Map<string, number>, requests: HourlyBytes['requests']) {
  return [...new Set([...bytes.keys(), ...requests.keys()])].sort().map((bucket_id) => ({
    bucket_id,
    day,
    bandwidth: bytes.get(bucket_id) ?? 0,
    requests: requests.get(bucket_id)?.requests ?? 0,
    cached_requests: requests.get(bucket_id)?.cached ?? 0,
  }));
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
