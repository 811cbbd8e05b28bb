import { HOUR, MAX_VERSIONS, PAGE_SIZE } from '../../../contract/limits.ts';
import type { BulkResultWire, RemovedFileWire, TrashPageWire } from '../../../contract/wire.ts';
import { notFound } from '../../../errors.ts';
import { type Actor, quoted, record } from '../../../platform/audit/record.ts';
import type { Clock } from '../../../platform/clock.ts';
import { forEachConcurrent } from '../../../platform/concurrency.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import { inSlices } from '../../../platform/slices.ts';
import type { Bucket, Buckets } from '../../buckets/service.ts';
import type { BulkFiles } from '../changes/bulk.ts';
import { changeApart } from '../changes/each-file.ts';
import type { FileDeletion } from '../file-deletion.ts';
import { fileAt } from '../paths/insertion-store.ts';
import { fileById } from '../store.ts';
import type { MediaFileRow } from '../tables.ts';
import * as purges from './purge-store.ts';
import { parseTrashCursor, toRemovedWire, trashCursor } from './removed-wire.ts';
import * as store from './retention-store.ts';

type Deps = {
  database: Database;
  clock: Clock;
  buckets: Pick<Buckets, 'contents'>;
  deletion: Pick<FileDeletion, 'release'>;
};

const PURGE_BATCH_SIZE = 256;
/** SQLite commits the transactions together that wait at the same time. */
const PURGE_CONCURRENCY = 16;
const PURGE_RETRY_DELAY_MS = HOUR;

/** Deleted files that are kept for some days, and the earlier versions of files. */
export class Trash {
  constructor(private readonly deps: Deps) {}

  /** Returns a page of the deleted files of a bucket, the last one first. Throws bad-request. */
  async list(
    bucketId: string,
    { cursor, limit = PAGE_SIZE }: { cursor?: string; limit?: number },
  ): Promise<TrashPageWire> {
    const { database, clock } = this.deps;
    const after = cursor ? parseTrashCursor(cursor) : null;
    const page = { after, now: clock(), limit: limit + 1 };
    const rows = await store.deletedFiles(database.db, bucketId, page);
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      data: shown.map(toRemovedWire),
      next: last && rows.length > limit ? trashCursor(last) : null,
    };
  }

  /** Whether what was removed from a path is in the trash, or about to be purged from it. */
  has(bucketId: string, path: string): Promise<boolean> {
    return store.isRemoved(this.deps.database.db, { bucket_id: bucketId, path });
  }

  /** Returns the earlier versions of a file, the newest first. Throws not-found. */
  async versions(bucketId: string, fileId: string): Promise<{ data: RemovedFileWire[] }> {
    const { db } = this.deps.database;
    const file = await fileById(db, fileId);
    if (file?.bucket_id !== bucketId) throw notFound('File');
    const rows = await store.versionsOf(db, file, MAX_VERSIONS);
    return { data: rows.map(toRemovedWire) };
  }

  /** Deletes a file of the trash, or an earlier version, for good. Throws not-found. */
  async deleteForGood(bucket: Bucket, fileId: string, actor: Actor): Promise<void> {
    const { database, clock } = this.deps;
    await database.transaction(async (tx) => {
      const now = clock();
      const file = await store.removedFile(tx, bucket.id, fileId, now);
      if (!file || !(await purges.markPurged(tx, file, now))) throw notFound('File');
      await record(tx, now, {
        section: 'files',
        action: 'file.purged',
        message: `File ${quoted(file.name)} permanently deleted.`,
        actor,
        subject: fileId,
        details: { bucket: bucket.id, bytes: file.stored_bytes },
      });
    });
    await this.purge(bucket.id, fileId);
  }

  /** Deletes many such files for good, each by itself. One for which that fails leaves the others alone. */
  purgeFiles(files: BulkFiles): Promise<BulkResultWire> {
    const { bucket, actor } = files;
    return changeApart(files, (id) => this.deleteForGood(bucket, id, actor));
  }

  /** Deletes what is in the trash of a bucket now for good. What it stores is freed soon after. */
  async empty(bucket: Bucket, actor: Actor): Promise<void> {
    const { database, clock } = this.deps;
    let files = 0;
    await inSlices(async (limit) => {
      const slice = await database.transaction((tx) =>
        purges.markTrashPurged(tx, bucket.id, clock(), limit),
      );
      files += slice.files;
      return slice.isLast ? 0 : limit;
    });
    if (files === 0) return;
    await record(database.db, clock(), {
      section: 'files',
      action: 'trash.emptied',
      message: `Trash of bucket ${bucket.id} emptied.`,
      actor,
      subject: bucket.id,
      details: { files },
    });
  }

  /**
   * Deletes what is due of all buckets. An interrupted call can be repeated. Throws the first failure at the end: a file
   * whose purge fails keeps no other from being purged, and is tried again later.
   */
  async purgeDue(signal: AbortSignal): Promise<void> {
    const { database, clock } = this.deps;
    const failures: unknown[] = [];
    const purge = async ({ id, bucket_id }: { id: string; bucket_id: string }) => {
      try {
        await this.purge(bucket_id, id);
      } catch (error) {
        failures.push(error);
        // Otherwise the next ones would never be listed where those that fail fill the list.
        await purges.postponePurge(database.db, id, clock() + PURGE_RETRY_DELAY_MS);
      }
    };
    for (;;) {
      signal.throwIfAborted();
      const due = await purges.duePurges(database.db, clock(), PURGE_BATCH_SIZE);
      await forEachConcurrent(due, PURGE_CONCURRENCY, purge);
      if (due.length < PURGE_BATCH_SIZE) break;
    }
    if (failures.length > 0) throw failures[0];
  }

  /**
   * Keeps what was deleted from being fetched again from the source of its bucket, which the trash has done until now. What
   * was deleted since the source is set is excluded already.
   */
  private async keepDeleted(tx: Tx, { bucket_id, path }: MediaFileRow): Promise<void> {
    const { contents } = this.deps.buckets;
    const { has_source } = await contents.retention(tx, bucket_id);
    const isDeleted = has_source === 1 && (await fileAt(tx, bucket_id, path)) === undefined;
    if (isDeleted) await contents.excludePaths(tx, bucket_id, [path]);
  }

  /** Deletes the rows of a file that is due. Its objects are deleted later, with the pending deletes. */
  async purge(bucketId: string, fileId: string): Promise<void> {
    const { database, clock, buckets, deletion } = this.deps;
    await database.transaction(async (tx) => {
      await buckets.contents.hold(tx, bucketId);
      const file = await purges.takePurged(tx, fileId, clock());
      if (!file) return;
      await deletion.release(tx, file);
      await this.keepDeleted(tx, file);
      const purged = { fileIds: [fileId], bytes: file.stored_bytes };
      await buckets.contents.purge(tx, file.bucket_id, purged);
    });
  }
}
