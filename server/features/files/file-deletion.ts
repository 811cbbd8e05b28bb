import { notFound } from '../../errors.ts';
import { type Actor, quoted, record } from '../../platform/audit/record.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/db/port.ts';
import type { Events } from '../../platform/events/port.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import { rootOf } from '../../platform/region-routing.ts';
import { scheduleDelete } from '../../platform/storage/pending-deletes-store.ts';
import type { Bucket, Buckets, Webhooks } from '../buckets/service.ts';
import { type FileAddresses, publishFileEvent, toFileWire } from './file-wire.ts';
import { filePrefix } from './keys.ts';
import * as store from './store.ts';
import type { FileRow } from './tables.ts';

const DELETE_BATCH_SIZE = 100;

type Dependencies = FileAddresses & {
  database: Database;
  clock: Clock;
  events: Events;
  queue: Queue;
  buckets: Pick<Buckets, 'contents'>;
  webhooks: Pick<Webhooks, 'announce'>;
};

/** Deletes files. Their rows go at once, and their objects later, with the pending deletes. */
export class FileDeletion {
  constructor(private readonly deps: Dependencies) {}

  /** Stops a file's delivery and processing, and deletes its row. Throws not-found. */
  async deleteFile(bucket: Bucket, fileId: string, actor: Actor): Promise<void> {
    const { database, queue, events } = this.deps;
    const deleted = await database.transaction((tx) => this.deleteRow(tx, bucket, fileId, actor));
    if (!deleted) throw notFound('File');
    queue.abort([fileId]);
    const file = { id: fileId, bucketId: bucket.id, userId: bucket.user_id };
    await publishFileEvent(events, 'file.deleted', file, deleted.status, 100);
  }

  /** Deletes all files of a bucket, and their jobs. An interrupted call can be repeated. */
  async deleteAllOf(bucketId: string): Promise<void> {
    for (;;) {
      const ids = await this.deps.database.transaction((tx) => this.deleteBatch(tx, bucketId));
      this.deps.queue.abort(ids);
      if (ids.length < DELETE_BATCH_SIZE) return;
    }
  }

  private async deleteRow(
    tx: Tx,
    bucket: Bucket,
    fileId: string,
    actor: Actor,
  ): Promise<FileRow | null> {
    const file = await store.takeFile(tx, bucket.id, fileId);
    if (!file) return null;
    const { stored_bytes: bytes } = file;
    await this.release(tx, file);
    await this.deps.buckets.contents.change(tx, bucket.id, { bytes: -bytes, files: -1, fileId });
    await this.announce(tx, bucket.id, [{ ...file, region: bucket.region }]);
    await record(tx, this.deps.clock(), {
      section: 'files',
      action: 'file.deleted',
      message: `File ${quoted(file.name)} deleted.`,
      actor,
      subject: fileId,
      details: { bucket: bucket.id, bytes },
    });
    return file;
  }

  /** Deletes the rows of some files of a bucket, and returns their ids. */
  private async deleteBatch(tx: Tx, bucketId: string): Promise<string[]> {
    const files = await store.someFiles(tx, bucketId, DELETE_BATCH_SIZE);
    for (const file of files) await this.release(tx, file);
    await this.announce(tx, bucketId, files);
    const ids = files.map(({ id }) => id);
    if (ids.length > 0) {
      await store.deleteFiles(tx, ids);
      await this.deps.buckets.contents.deleteMeters(tx, ids);
    }
    return ids;
  }

  /** Cancels a file's job, and schedules the deletion of everything that is stored of the file. */
  private async release(
    tx: Tx,
    file: Pick<FileRow, 'id' | 'bucket_id' | 'prefix' | 'source_prefix'>,
  ): Promise<void> {
    const { queue, clock } = this.deps;
    await queue.cancel(tx, file.id);
    const root = rootOf(file.source_prefix ?? file.prefix);
    await scheduleDelete(tx, filePrefix(root, file.bucket_id, file.id), clock());
    if (file.source_prefix) await scheduleDelete(tx, file.source_prefix, clock());
  }

  private announce(tx: Tx, bucketId: string, rows: store.PlacedFile[]): Promise<void> {
    const news = rows.map((row) => ({
      type: 'file.deleted' as const,
      file: toFileWire(row, 0, this.deps),
    }));
    return this.deps.webhooks.announce(tx, bucketId, news);
  }
}
