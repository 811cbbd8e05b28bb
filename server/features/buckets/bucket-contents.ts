import type { Statement } from '../../platform/db/batch.ts';
import type { Database, Tx } from '../../platform/db/port.ts';
import type { Meters } from './bucket-deps.ts';
import { banned, bucketBeingDeleted } from './bucket-status.ts';
import * as store from './store.ts';

/**
 * A change of what a bucket stores, by the file `fileId`, which was created at `createdAt` (epoch milliseconds).
 */
export type ContentChange = { bytes: number; fileId: string; createdAt: number };

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
   * Returns the statements that count an upload which becomes a file. Where the bucket takes none, they throw
   * conflict, banned.
   */
  uploadAdditions(bucket: { id: string; user_id: string }, change: ContentChange): Statement[] {
    const { db } = this.database;
    const { bytes } = change;
    const refusal = async () => {
      const row = await store.bucketById(db, bucket.id);
      return row?.status === 'banned' ? banned() : bucketBeingDeleted();
    };
    return [
      store.uploadAddition(db, { id: bucket.id, bytes }, refusal),
      ...this.meters.additions(db, bucket, { ...change, uploaded: bytes }),
    ];
  }

  /** Returns the statements that count a change of the bytes of a file, which the batch changes too. */
  additions(bucket: { id: string; user_id: string }, change: ContentChange): Statement[] {
    const { db } = this.database;
    const { bytes } = change;
    return [
      store.bytesAddition(db, { id: bucket.id, bytes }),
      ...this.meters.additions(db, bucket, { ...change, uploaded: 0 }),
    ];
  }

  /**
   * Locks a bucket until the transaction ends, so that no other one takes a path in it meanwhile. Returns false where
   * it is being deleted.
   */
  async lock(tx: Tx, id: string): Promise<boolean> {
    return (await store.lockBucket(tx, id)) !== 'deleting';
  }

  /** Counts a change of the bytes of a file. */
  async change(tx: Tx, id: string, change: ContentChange): Promise<void> {
    const { bytes } = change;
    if ((await store.addToBucket(tx, id, { bytes, files: 0 })) === undefined) return;
    await this.meters.stored(tx, id, { ...change, uploaded: 0 });
  }

  /** Counts the deletion of a file that had so many bytes. */
  async remove(tx: Tx, id: string, file: ContentChange): Promise<void> {
    const { bytes } = file;
    if ((await store.addToBucket(tx, id, { bytes: -bytes, files: -1 })) === undefined) return;
    await this.meters.removed(tx, id, file);
  }

  /**
   * Counts files that are deleted together with their bucket. The bucket's bytes stay until it is
   * deleted, when its meter is closed.
   */
  async removeFiles(tx: Tx, id: string, fileIds: string[]): Promise<void> {
    await store.addToBucket(tx, id, { bytes: 0, files: -fileIds.length });
    await this.meters.forgetFiles(tx, fileIds);
  }
}
