import { conflict } from '../../errors.ts';
import type { Statement } from '../../platform/db/batch.ts';
import { type Database, isOnPostgres, type Tx } from '../../platform/db/port.ts';
import type { Meters } from './bucket-deps.ts';
import { banned, bucketBeingDeleted } from './bucket-status.ts';
import { lockBucket, shareBucket, uploadLock } from './lock-store.ts';
import * as sources from './sources/source-store.ts';
import * as store from './store.ts';
import type { BucketRow } from './tables.ts';
import { uploadGuard } from './upload-rules/guard-store.ts';
import { bucketFull, sizeRefusal } from './upload-rules/rules.ts';
import { hasWebhook } from './webhooks/has-webhook.ts';

/**
 * A change of what a bucket stores, by the file `fileId`, which was created at `createdAt` (epoch milliseconds).
 */
export type ContentChange = {
  bytes: number;
  fileId: string;
  createdAt: number;
  /** Whether the file is neither in the trash nor an earlier version; true where it is left out. */
  isCurrent?: boolean;
};

/** How long a bucket keeps deleted files, and how many versions of a file. */
export type Retention = Pick<BucketRow, 'keep_deleted_days' | 'keep_versions'>;

/** Whether a bucket keeps versions in the words of S3; null where it never has. */
export type Versioning = 'Enabled' | 'Suspended' | null;

/** Returns whether a bucket keeps versions. One that ever has never again looks like one that has not. */
export function versioningOf({
  keep_versions,
  was_versioned,
}: Pick<BucketRow, 'keep_versions' | 'was_versioned'>): Versioning {
  if (keep_versions > 0) return 'Enabled';
  return was_versioned === 1 ? 'Suspended' : null;
}

/** Counts what buckets store. Every count changes in the transaction that changes the file. */
export class BucketContents {
  constructor(
    private readonly database: Database,
    private readonly meters: Meters,
  ) {}

  /** Returns how many files a bucket has; 0 where it does not exist. */
  async countFiles(id: string): Promise<number> {
    return (await store.bucketById(this.database.db, id))?.total_uploads ?? 0;
  }

  /**
   * Returns the statements that count an upload which becomes a file. Where the bucket does not take it, they
   * throw conflict, banned, too-large, bucket-full.
   * @param ifWebhook returns what they throw where the bucket has a webhook; left out where it may have one
   */
  uploadAdditions(
    bucket: { id: string; user_id: string },
    change: ContentChange,
    ifWebhook?: () => unknown,
  ): Statement[] {
    return this.fileAdditions(bucket, change, { uploaded: change.bytes, ifWebhook });
  }

  /**
   * Returns the statements that count a copy of a file, which is judged by the `size` of the uploaded file, as its upload
   * was, and counts all `bytes` that are stored. Nothing is uploaded. They throw what `uploadAdditions` do.
   */
  copyAdditions(
    bucket: { id: string; user_id: string },
    { size, ...change }: ContentChange & { size: number },
  ): Statement[] {
    const made = change.bytes - size;
    return [
      ...this.fileAdditions(bucket, { ...change, bytes: size }, { uploaded: 0 }),
      ...(made === 0 ? [] : this.additions(bucket, { ...change, bytes: made })),
    ];
  }

  private fileAdditions(
    bucket: { id: string; user_id: string },
    change: ContentChange,
    { uploaded, ifWebhook }: { uploaded: number; ifWebhook?: () => unknown },
  ): Statement[] {
    const { db } = this.database;
    const { bytes } = change;
    const refusal = async () => {
      const row = await store.bucketById(db, bucket.id);
      if (!row || row.status === 'deleting') return bucketBeingDeleted();
      if (row.status === 'banned') return banned();
      const refused = sizeRefusal(row, bytes);
      if (refused) return refused;
      if (ifWebhook && hasWebhook(row)) return ifWebhook();
      // Other uploads have filled the bucket in a transaction that is not committed yet.
      if (row.storage_limit !== null) return bucketFull(row.storage_limit);
      return conflict('The rules of the bucket have changed meanwhile. Try again.');
    };
    return [
      ...uploadLock(db, bucket.id),
      uploadGuard(db, { id: bucket.id, bytes, mayHaveWebhook: ifWebhook === undefined }, refusal),
      ...this.meters.additions(db, bucket, { ...change, uploaded, files: 1 }),
    ];
  }

  /** Returns the statements that count a change of the bytes of a file, which the batch changes too. */
  additions(bucket: { id: string; user_id: string }, change: ContentChange): Statement[] {
    const counted = { ...change, uploaded: 0, files: 0 };
    return this.meters.additions(this.database.db, bucket, counted);
  }

  /**
   * Locks a bucket until the transaction ends, so that no upload and no other change takes a path in it meanwhile. Returns false where
   * it is being deleted or gone.
   */
  async lock(tx: Tx, id: string): Promise<boolean> {
    const status = await lockBucket(tx, id);
    return status !== undefined && status !== 'deleting';
  }

  /**
   * Holds a bucket together with others until the transaction ends. What counts a change of a file calls it before it
   * locks a row of the file: those who have the bucket for themselves lock such rows, and the two would wait for each
   * other.
   */
  async hold(tx: Tx, id: string): Promise<void> {
    if (isOnPostgres(tx)) await shareBucket(tx, id);
  }

  /** Counts a change of the bytes of a file. */
  async change(tx: Tx, id: string, change: ContentChange): Promise<void> {
    const bucket = await shareBucket(tx, id);
    if (bucket) await this.meters.stored(tx, bucket, { ...change, uploaded: 0, files: 0 });
  }

  /** Counts the deletion of a file that had so many bytes. */
  async remove(tx: Tx, id: string, file: ContentChange): Promise<void> {
    const bucket = await shareBucket(tx, id);
    if (bucket) await this.meters.removed(tx, bucket, file);
  }

  /** Returns what a bucket keeps of deleted and replaced files, which is nothing once it is being deleted. */
  async retention(tx: Tx, id: string): Promise<Retention & Pick<BucketRow, 'has_source'>> {
    const row = await store.bucketById(tx, id);
    const isKept = row && row.status !== 'deleting';
    return isKept ? row : { keep_deleted_days: 0, keep_versions: 0, has_source: 0 };
  }

  /** Keeps files that were at some paths from being fetched there again from the source of a bucket, if it has one. */
  async excludePaths(tx: Tx, id: string, paths: string[]): Promise<void> {
    if (await sources.findSource(tx, id)) await sources.excludePaths(tx, id, paths);
  }

  /** Counts that a file is no longer current but stays stored; with `isCurrent`, that it is again. */
  async currentChanged(tx: Tx, id: string, file: Required<ContentChange>): Promise<void> {
    const bucket = await shareBucket(tx, id);
    if (bucket) await this.meters.currentChanged(tx, bucket, file);
  }

  /** Counts the deletion of files that were not current any more, and had so many bytes together. */
  async purge(tx: Tx, id: string, files: { fileIds: string[]; bytes: number }): Promise<void> {
    const bucket = await shareBucket(tx, id);
    if (bucket) await this.meters.purged(tx, bucket, files);
  }

  /**
   * Counts files that are deleted together with their bucket. The bucket's bytes stay until it is
   * deleted, when its meter is closed.
   */
  async removeFiles(tx: Tx, id: string, fileIds: string[]): Promise<void> {
    if (fileIds.length === 0) return;
    const bucket = await shareBucket(tx, id);
    if (bucket) await this.meters.forgetFiles(tx, bucket, fileIds);
  }
}
