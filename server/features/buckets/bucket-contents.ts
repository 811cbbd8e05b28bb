import type { Database, Tx } from '../../platform/db/port.ts';
import type { Meters } from './bucket-deps.ts';
import { banned, bucketBeingDeleted } from './bucket-status.ts';
import * as store from './store.ts';

/** A change of what a bucket stores, by the file `fileId`. Both numbers may be negative. */
export type ContentChange = { bytes: number; files: number; fileId: string };

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

  /** Counts an upload that becomes a file. Throws conflict, banned. */
  async addUpload(tx: Tx, id: string, file: { id: string; bytes: number }): Promise<void> {
    const { id: fileId, bytes } = file;
    if ((await store.receiveFile(tx, id, bytes)) === undefined) {
      const row = await store.bucketById(tx, id);
      throw row?.status === 'banned' ? banned() : bucketBeingDeleted();
    }
    await this.meters.stored(tx, id, { fileId, bytes, uploaded: bytes, isRemoved: false });
  }

  /** Counts a change of a file, or its deletion. */
  async change(tx: Tx, id: string, { bytes, files, fileId }: ContentChange): Promise<void> {
    if ((await store.addToBucket(tx, id, { bytes, files })) === undefined) return;
    await this.meters.stored(tx, id, { fileId, bytes, uploaded: 0, isRemoved: files < 0 });
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
