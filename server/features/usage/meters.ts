import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/db/port.ts';
import { dayOf, hourOf, storedByHour } from './periods.ts';
import * as store from './store.ts';

/** Buckets of one transaction when an hour has ended. */
const CLOSED_AT_ONCE = 100;

/** A change of what a bucket stores, its row changed already and held by the transaction. */
export type StoredChange = {
  fileId: string;
  /** What was stored before. */
  before: number;
  /** How much more it is now. */
  bytes: number;
  /** The file is gone, and with it all that it stored. */
  isRemoved: boolean;
};

/**
 * Keeps the integral over time of what buckets store. It advances in the transaction of each
 * change, and every hour for all buckets, so that each hour holds exactly its own part.
 */
export function createMeters({ database, clock }: { database: Database; clock: Clock }) {
  /**
   * Meters what was stored until now. Answers the moment up to which it is metered; a clock that
   * was set back adds nothing and takes nothing away.
   */
  const advance = async (tx: Tx, bucketId: string, stored: number, to: number) => {
    const from = (await store.meteredAt(tx, bucketId)) ?? to;
    const pieces = storedByHour(stored, from, to);
    await store.addToHours(
      tx,
      pieces.map((piece) => ({ bucket_id: bucketId, ...piece })),
    );
    const at = Math.max(from, to);
    await store.setMeteredAt(tx, bucketId, at);
    return at;
  };

  return {
    async stored(tx: Tx, bucketId: string, change: StoredChange): Promise<void> {
      const { fileId, before, bytes, isRemoved } = change;
      const day = dayOf(await advance(tx, bucketId, before, clock()));
      const today = { bucket_id: bucketId, day, stored: bytes };
      if (!isRemoved) {
        await store.addToDays(tx, [{ ...today, kept: bytes }]);
        await store.addToFiles(tx, 'file_growth', [{ file_id: fileId, day, bytes }]);
        return;
      }
      const grown = await store.takeGrowth(tx, fileId);
      await store.forgetFiles(tx, [fileId]);
      await store.addToDays(tx, [{ ...today, removed: -bytes }]);
      await store.addToDays(
        tx,
        grown.map((row) => ({ bucket_id: bucketId, day: row.day, kept: -row.bytes })),
      );
    },

    /** A completed upload. */
    async uploaded(tx: Tx, bucketId: string, bytes: number): Promise<void> {
      const now = clock();
      await store.addToHours(tx, [{ bucket_id: bucketId, hour: hourOf(now), uploaded: bytes }]);
      await store.addToDays(tx, [{ bucket_id: bucketId, day: dayOf(now), uploaded: bytes }]);
    },

    /** Files that go with their bucket: only what is kept for each is dropped. */
    forgetFiles: store.forgetFiles,

    /** The last of a bucket, whose row goes in the same transaction. */
    async closed(tx: Tx, bucketId: string, stored: number): Promise<void> {
      const day = dayOf(await advance(tx, bucketId, stored, clock()));
      const gone = { stored: -stored, kept: -stored, removed: stored };
      await store.addToDays(tx, [{ bucket_id: bucketId, day, ...gone }]);
    },

    /** Meters every bucket up to the beginning of this hour. */
    async closeHours(): Promise<void> {
      const hour = hourOf(clock());
      for (;;) {
        const ids = await store.lagging(database.db, hour, CLOSED_AT_ONCE);
        if (ids.length === 0) return;
        await database.transaction(async (tx) => {
          for (const id of ids) {
            const stored = await store.holdUsage(tx, id);
            if (stored !== undefined) await advance(tx, id, stored, hour);
          }
        });
        // SQLite answers without the event loop turning; requests come first.
        await Bun.sleep(0);
      }
    },
  };
}
