import { HOUR } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { runStatements, type Statement } from '../../platform/db/batch.ts';
import type { Executor, Tx } from '../../platform/db/port.ts';
import type { BucketOwners } from './bucket-owners.ts';
import { dayOf, hourOf, storedFor } from './periods.ts';
import * as store from './store.ts';

/** A change of what a bucket stores. */
export type StoredChange = {
  fileId: string;
  /** When the file was created, in epoch milliseconds. */
  createdAt: number;
  /** How many bytes were added; negative where bytes were removed. */
  bytes: number;
  /** How many of the bytes are those of a completed upload. */
  uploaded: number;
};

/** A bucket whose usage changes. */
export type MeteredBucket = { id: string; user_id: string };

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

  /** Returns the statements that record a change of what a bucket stores of a file, which may be a new one. */
  additions(db: Executor, bucket: MeteredBucket, change: StoredChange): Statement[] {
    const { fileId, createdAt, bytes, uploaded } = change;
    this.owners.add(bucket);
    const { hour, day } = this.changeNow(bucket, bytes);
    const isLater = day !== dayOf(createdAt);
    return [
      store.hourAddition(db, { ...hour, uploaded }),
      store.dayAddition(db, { bucket_id: bucket.id, day, stored: bytes, uploaded, kept: bytes }),
      ...(isLater ? [store.growthAddition(db, { file_id: fileId, day, bytes })] : []),
    ];
  }

  /** Records such a change. */
  async stored(tx: Tx, bucketId: string, change: StoredChange): Promise<void> {
    await runStatements(tx, this.additions(tx, await this.ownedBucket(tx, bucketId), change));
  }

  /** Records that a file was deleted, which had so many bytes. */
  async removed(
    tx: Tx,
    bucketId: string,
    { fileId, createdAt, bytes }: Pick<StoredChange, 'fileId' | 'createdAt' | 'bytes'>,
  ): Promise<void> {
    const { hour, day } = this.changeNow(await this.ownedBucket(tx, bucketId), -bytes);
    await runStatements(tx, [store.hourAddition(tx, hour)]);
    const later = await store.takeGrowth(tx, fileId);
    const first = bytes - later.reduce((sum, row) => sum + row.bytes, 0);
    const kept = [{ day: dayOf(createdAt), bytes: first }, ...later];
    const today = { bucket_id: bucketId, day, stored: -bytes, removed: bytes };
    await runStatements(tx, [
      store.dayAddition(tx, today),
      ...kept
        .filter((row) => row.bytes !== 0)
        .map((row) =>
          store.dayAddition(tx, { bucket_id: bucketId, day: row.day, kept: -row.bytes }),
        ),
    ]);
    // What was sent is written to the days first, too; in another order the two could deadlock.
    await store.forgetFiles(tx, [fileId]);
  }

  /** Drops what is kept for each of the files that are deleted with their bucket. */
  forgetFiles(tx: Tx, fileIds: string[]): Promise<void> {
    return store.forgetFiles(tx, fileIds);
  }

  /** Closes the meter of a bucket, whose row is deleted in the same transaction. */
  async closed(tx: Tx, bucketId: string, stored: number): Promise<void> {
    const { hour, day } = this.changeNow(await this.ownedBucket(tx, bucketId), -stored);
    const removal = { stored: -stored, kept: -stored, removed: stored };
    await runStatements(tx, [
      store.hourAddition(tx, hour),
      store.dayAddition(tx, { bucket_id: bucketId, day, ...removal }),
    ]);
  }

  private async ownedBucket(tx: Tx, id: string): Promise<MeteredBucket> {
    const owner = (await this.owners.of(tx, [id])).get(id);
    if (owner === undefined) throw new Error(`bucket ${id} changed after its deletion`);
    return { id, user_id: owner };
  }

  /** Returns the day, and what a change of the stored bytes adds to the current hour. */
  private changeNow({ id: bucket_id, user_id }: MeteredBucket, bytes: number) {
    const now = this.clock();
    const hour = hourOf(now);
    const stored = { stored_change: bytes, ...storedFor(bytes, hour + HOUR - now) };
    return { hour: { user_id, bucket_id, hour, ...stored }, day: dayOf(now) };
  }
}
