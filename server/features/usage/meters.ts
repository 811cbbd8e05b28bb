import { HOUR } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/port.ts';
import { together } from '../../platform/db/together.ts';
import type { BucketOwners } from './bucket-owners.ts';
import { dayOf, hourOf, storedFor } from './periods.ts';
import * as store from './store.ts';

/** A change of what a bucket stores. */
export type StoredChange = {
  fileId: string;
  /** How many bytes were added; negative where bytes were removed. */
  bytes: number;
  /** How many of the bytes are those of a completed upload. */
  uploaded: number;
  /** Whether the file was deleted. */
  isRemoved: boolean;
};

/**
 * Meters what buckets store, in the transaction of each change. A change of `bytes` adds what these
 * take up from then on. As this is a sum, changes may be written in any order, none needs to know
 * what the bucket stores, and nothing is written while nothing changes.
 */
export class UsageMeters {
  private readonly clock: Clock;
  private readonly owners: BucketOwners;

  constructor({ clock, owners }: { clock: Clock; owners: BucketOwners }) {
    this.clock = clock;
    this.owners = owners;
  }

  /** Records a change of what a bucket stores. */
  async stored(tx: Tx, bucketId: string, change: StoredChange): Promise<void> {
    const { fileId, bytes, uploaded, isRemoved } = change;
    const { hour, day } = await this.now(tx, bucketId, bytes);
    const today = { bucket_id: bucketId, day, stored: bytes };
    if (!isRemoved) {
      await together(
        store.addToHour(tx, { ...hour, uploaded }),
        store.addToDay(tx, { ...today, uploaded, kept: bytes }),
        store.addGrowth(tx, { file_id: fileId, day, bytes }),
      );
      return;
    }
    await store.addToHour(tx, { ...hour, uploaded });
    const growth = await store.takeGrowth(tx, fileId);
    await store.addToDay(tx, { ...today, removed: -bytes });
    await store.addToDays(
      tx,
      growth.map((row) => ({ bucket_id: bucketId, day: row.day, kept: -row.bytes })),
    );
    // What was sent is written to the days first, too; in another order the two could deadlock.
    await store.forgetFiles(tx, [fileId]);
  }

  /** Drops what is kept for each of the files that are deleted with their bucket. */
  forgetFiles(tx: Tx, fileIds: string[]): Promise<void> {
    return store.forgetFiles(tx, fileIds);
  }

  /** Closes the meter of a bucket, whose row is deleted in the same transaction. */
  async closed(tx: Tx, bucketId: string, stored: number): Promise<void> {
    const { hour, day } = await this.now(tx, bucketId, -stored);
    await store.addToHour(tx, hour);
    const removal = { stored: -stored, kept: -stored, removed: stored };
    await store.addToDay(tx, { bucket_id: bucketId, day, ...removal });
  }

  /** Returns the day, and what a change of the stored bytes adds to the current hour. */
  private async now(tx: Tx, bucketId: string, bytes: number) {
    const now = this.clock();
    const hour = hourOf(now);
    const owner = (await this.owners.of(tx, [bucketId])).get(bucketId);
    if (owner === undefined) throw new Error(`bucket ${bucketId} changed after its deletion`);
    const key = { user_id: owner, bucket_id: bucketId, hour };
    const stored = { stored_change: bytes, ...storedFor(bytes, hour + HOUR - now) };
    return { hour: { ...key, ...stored }, day: dayOf(now) };
  }
}
