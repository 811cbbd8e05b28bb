import { HOUR } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { runStatements, type Statement } from '../../platform/db/batch.ts';
import type { Executor, Tx } from '../../platform/db/port.ts';
import type { BucketOwners } from './bucket-owners.ts';
import { dayOf, hourOf, storedFor } from './periods.ts';
import * as store from './store.ts';
import type { FileDayRow } from './tables.ts';

/** A change of what a bucket stores. */
export type StoredChange = {
  fileId: string;
  /** When the file was created, in epoch milliseconds. */
  createdAt: number;
  /** How many bytes were added; negative where bytes were removed. */
  bytes: number;
  /** How many of the bytes are those of a completed upload. */
  uploaded: number;
  /** Whether the file is current; what is only kept in the trash, or as a version, counts as stored alone. */
  isCurrent?: boolean;
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
    const { fileId, createdAt, bytes, uploaded, isCurrent = true } = change;
    const kept = isCurrent ? bytes : 0;
    this.owners.add(bucket);
    const { hour, day } = this.changeNow(bucket, bytes);
    const isLater = day !== dayOf(createdAt);
    return [
      store.hourAddition(db, { ...hour, uploaded }),
      store.dayAddition(db, { bucket_id: bucket.id, day, stored: bytes, uploaded, kept }),
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
    const today = { bucket_id: bucketId, day, stored: -bytes, removed: bytes };
    await runStatements(tx, [
      store.dayAddition(tx, today),
      ...keptAdditions(tx, bucketId, { createdAt, bytes, later }, -1),
    ]);
    // What was sent is written to the days first, too; in another order the two could deadlock.
    await store.forgetFiles(tx, [fileId]);
  }

  /** Records that a file was replaced or deleted, but stays stored; with `isCurrent`, that it was restored. */
  async currentChanged(
    tx: Tx,
    bucketId: string,
    { fileId, createdAt, bytes, isCurrent }: Omit<Required<StoredChange>, 'uploaded'>,
  ): Promise<void> {
    const later = await store.growthOf(tx, fileId);
    const days = { createdAt, bytes, later };
    await runStatements(tx, keptAdditions(tx, bucketId, days, isCurrent ? 1 : -1));
  }

  /** Records that files were purged which were not current any more, and had so many bytes together. */
  async purged(
    tx: Tx,
    bucketId: string,
    { fileIds, bytes }: { fileIds: string[]; bytes: number },
  ): Promise<void> {
    const { hour, day } = this.changeNow(await this.ownedBucket(tx, bucketId), -bytes);
    const today = { bucket_id: bucketId, day, stored: -bytes, removed: bytes };
    await runStatements(tx, [store.hourAddition(tx, hour), store.dayAddition(tx, today)]);
    await store.forgetFiles(tx, fileIds);
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

/** Returns the statements that add the bytes of a file to the days on which it got them, or take them away. */
function keptAdditions(
  tx: Tx,
  bucketId: string,
  { createdAt, bytes, later }: { createdAt: number; bytes: number; later: FileDayRow[] },
  sign: 1 | -1,
): Statement[] {
  const first = bytes - later.reduce((sum, row) => sum + row.bytes, 0);
  return [{ day: dayOf(createdAt), bytes: first }, ...later]
    .filter((row) => row.bytes !== 0)
    .map((row) =>
      store.dayAddition(tx, { bucket_id: bucketId, day: row.day, kept: sign * row.bytes }),
    );
}
