import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/db/port.ts';
import { dayOf, hourOf, storedByHour } from './periods.ts';
import * as store from './store.ts';

/** How many buckets one transaction meters when an hour has ended. */
const CLOSE_BATCH_SIZE = 100;

/**
 * A change of what a bucket stores. The transaction has updated the bucket's row before, which
 * locks it.
 */
export type StoredChange = {
  fileId: string;
  /** How many bytes were stored before. */
  before: number;
  /** How many bytes were added; negative where bytes were removed. */
  bytes: number;
  /** Whether the file was deleted. */
  isRemoved: boolean;
};

/**
 * Keeps the integral over time of what buckets store. It advances in the transaction of each
 * change, and every hour for all buckets, so that each hour holds exactly its own part.
 */
export class UsageMeters {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor({ database, clock }: { database: Database; clock: Clock }) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Records a change of what a bucket stores. */
  async stored(tx: Tx, bucketId: string, change: StoredChange): Promise<void> {
    const { fileId, before, bytes, isRemoved } = change;
    const day = dayOf(await advance(tx, bucketId, before, this.#clock()));
    const today = { bucket_id: bucketId, day, stored: bytes };
    if (!isRemoved) {
      await store.addToDays(tx, [{ ...today, kept: bytes }]);
      await store.addToFiles(tx, 'file_growth', [{ file_id: fileId, day, bytes }]);
      return;
    }
    const growth = await store.takeGrowth(tx, fileId);
    await store.forgetFiles(tx, [fileId]);
    await store.addToDays(tx, [{ ...today, removed: -bytes }]);
    await store.addToDays(
      tx,
      growth.map((row) => ({ bucket_id: bucketId, day: row.day, kept: -row.bytes })),
    );
  }

  /** Records a completed upload. */
  async uploaded(tx: Tx, bucketId: string, bytes: number): Promise<void> {
    const now = this.#clock();
    await store.addToHours(tx, [{ bucket_id: bucketId, hour: hourOf(now), uploaded: bytes }]);
    await store.addToDays(tx, [{ bucket_id: bucketId, day: dayOf(now), uploaded: bytes }]);
  }

  /** Drops what is kept for each of the files that are deleted with their bucket. */
  forgetFiles(tx: Tx, fileIds: string[]): Promise<void> {
    return store.forgetFiles(tx, fileIds);
  }

  /** Closes the meter of a bucket, whose row is deleted in the same transaction. */
  async closed(tx: Tx, bucketId: string, stored: number): Promise<void> {
    const day = dayOf(await advance(tx, bucketId, stored, this.#clock()));
    const removal = { stored: -stored, kept: -stored, removed: stored };
    await store.addToDays(tx, [{ bucket_id: bucketId, day, ...removal }]);
  }

  /** Meters every bucket up to the start of this hour. */
  async closeHours(): Promise<void> {
    const hour = hourOf(this.#clock());
    for (;;) {
      const ids = await store.findLaggingBuckets(this.#database.db, hour, CLOSE_BATCH_SIZE);
      if (ids.length === 0) return;
      await this.#database.transaction(async (tx) => {
        for (const id of ids) {
          const stored = await store.lockUsage(tx, id);
          if (stored !== undefined) await advance(tx, id, stored, hour);
        }
      });
      // Queries on SQLite never yield to the event loop; this lets waiting requests run.
      await Bun.sleep(0);
    }
  }
}

/**
 * Meters what a bucket has stored until `to`, and returns the moment up to which it is metered. A
 * clock that was set back changes no figure.
 */
async function advance(tx: Tx, bucketId: string, stored: number, to: number): Promise<number> {
  const from = (await store.meteredAt(tx, bucketId)) ?? to;
  const pieces = storedByHour(stored, from, to);
  await store.addToHours(
    tx,
    pieces.map((piece) => ({ bucket_id: bucketId, ...piece })),
  );
  const at = Math.max(from, to);
  await store.setMeteredAt(tx, bucketId, at);
  return at;
}
