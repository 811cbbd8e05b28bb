import { HOUR } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { runStatements, type Statement } from '../../platform/db/batch.ts';
import type { Executor, Tx } from '../../platform/db/port.ts';
import { newId } from '../../platform/ids.ts';
import type { BucketOwners } from './bucket-owners.ts';
import { accountsOf, daysOf, hoursOf } from './changes.ts';
import { changeStatements, foldBuckets } from './changes-store.ts';
import { dayOf, hourOf, storedFor } from './periods.ts';
import { addToAccountStats } from './stats-store.ts';
import * as store from './store.ts';
import type { FileDayRow, UsageChangeRow } from './tables.ts';

/** A change of what a bucket stores. */
export type StoredChange = {
  fileId: string;
  /** When the file was created, in epoch milliseconds. */
  createdAt: number;
  /** How many bytes were added; negative where bytes were removed. */
  bytes: number;
  /** How many of the bytes are those of a completed upload. */
  uploaded: number;
  /** How many more files the bucket has. */
  files: number;
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
    const { fileId, createdAt, bytes, uploaded, files, isCurrent = true } = change;
    const row = this.changeNow(bucket, bytes);
    const day = row.kept_day;
    const isLater = day !== dayOf(createdAt);
    return [
      ...changeStatements(db, { ...row, uploaded, files, kept: isCurrent ? bytes : 0 }),
      ...(isLater ? [store.growthAddition(db, { file_id: fileId, day, bytes })] : []),
    ];
  }

  /** Records such a change. */
  async stored(tx: Tx, bucket: MeteredBucket, change: StoredChange): Promise<void> {
    await runStatements(tx, this.additions(tx, bucket, change));
  }

  /** Records that a file was deleted, which had so many bytes. */
  async removed(
    tx: Tx,
    bucket: MeteredBucket,
    { fileId, createdAt, bytes }: Pick<StoredChange, 'fileId' | 'createdAt' | 'bytes'>,
  ): Promise<void> {
    const change = { ...this.changeNow(bucket, -bytes), files: -1, removed: bytes };
    const later = await store.takeGrowth(tx, fileId);
    await this.record(tx, change, keptDays({ createdAt, bytes, later }, -1));
    // What was sent is written to the days first, too; in another order the two could deadlock.
    await store.forgetFiles(tx, [fileId]);
  }

  /** Records that a file was replaced or deleted, but stays stored; with `isCurrent`, that it was restored. */
  async currentChanged(
    tx: Tx,
    bucket: MeteredBucket,
    {
      fileId,
      createdAt,
      bytes,
      isCurrent,
    }: Pick<Required<StoredChange>, 'fileId' | 'createdAt' | 'bytes' | 'isCurrent'>,
  ): Promise<void> {
    const sign = isCurrent ? 1 : -1;
    const later = await store.growthOf(tx, fileId);
    const change = { ...this.changeNow(bucket, 0), files: sign };
    await this.record(tx, change, keptDays({ createdAt, bytes, later }, sign));
  }

  /** Records that files were purged which were not current any more, and had so many bytes together. */
  async purged(
    tx: Tx,
    bucket: MeteredBucket,
    { fileIds, bytes }: { fileIds: string[]; bytes: number },
  ): Promise<void> {
    const change = { ...this.changeNow(bucket, -bytes), removed: bytes };
    await runStatements(tx, changeStatements(tx, change));
    await store.forgetFiles(tx, fileIds);
  }

  /**
   * Records that current files were deleted with their bucket, whose bytes stay until it is deleted, and drops what is
   * kept for each of them.
   */
  async forgetFiles(tx: Tx, bucket: MeteredBucket, fileIds: string[]): Promise<void> {
    const change = { ...this.changeNow(bucket, 0), files: -fileIds.length };
    await runStatements(tx, changeStatements(tx, change));
    await store.forgetFiles(tx, fileIds);
  }

  /** Adds everything that has changed in a bucket to its counters. */
  async fold(tx: Tx, bucketId: string): Promise<void> {
    await foldBuckets(tx, [bucketId]);
  }

  /** Closes the meter of a bucket with all its bytes folded, whose row is deleted in the same transaction. */
  async closed(tx: Tx, bucket: MeteredBucket, stored: number): Promise<void> {
    const change = { ...this.changeNow(bucket, -stored), kept: -stored, removed: stored };
    await store.addToHours(tx, hoursOf([change]));
    await store.addToDays(tx, daysOf([change]));
    await addToAccountStats(tx, accountsOf([change]));
  }

  /** Records a change, and the days on which a file got the bytes that are kept. */
  private async record(tx: Tx, change: UsageChangeRow, kept: Kept[]): Promise<void> {
    const [first = {}, ...others] = kept;
    const { bucket_id: id, user_id } = change;
    const changes = [
      { ...change, ...first },
      ...others.map((days) => ({ ...this.changeNow({ id, user_id }, 0), ...days })),
    ];
    await runStatements(
      tx,
      changes.flatMap((row) => changeStatements(tx, row)),
    );
  }

  /** Returns a change now that has only bytes which are stored. */
  private changeNow(bucket: MeteredBucket, bytes: number): UsageChangeRow {
    this.owners.add(bucket);
    const now = this.clock();
    const hour = hourOf(now);
    return {
      ...{ id: newId(now), user_id: bucket.user_id, bucket_id: bucket.id, hour },
      ...{ stored_change: bytes, ...storedFor(bytes, hour + HOUR - now) },
      ...{ files: 0, uploaded: 0, removed: 0, kept: 0, kept_day: dayOf(now) },
    };
  }
}

type Kept = Pick<UsageChangeRow, 'kept' | 'kept_day'>;

/** Returns the days on which a file got its bytes, as they are kept from now on, or not any more. */
function keptDays(
  { createdAt, bytes, later }: { createdAt: number; bytes: number; later: FileDayRow[] },
  sign: 1 | -1,
): Kept[] {
  const first = bytes - later.reduce((sum, row) => sum + row.bytes, 0);
  return [{ day: dayOf(createdAt), bytes: first }, ...later]
    .filter((row) => row.bytes !== 0)
    .map((row) => ({ kept_day: row.day, kept: sign * row.bytes }));
}
