import type { FileDetailWire, FilePageWire, FileWire } from '../../contract/wire.ts';
import { notFound } from '../../errors.ts';
import { type Actor, quoted, record } from '../../platform/audit/record.ts';
import { toPage } from '../../platform/db/listing.ts';
import type { Tx } from '../../platform/db/port.ts';
import { rootOf } from '../../platform/region-routing.ts';
import { scheduleDelete } from '../../platform/storage/pending-deletes-store.ts';
import type { Bucket, Buckets, Webhooks } from '../buckets/service.ts';
import type { Tokens } from '../tokens/service.ts';
import { type CompleteUpload, createFromUpload } from './create-from-upload.ts';
import { publishFileEvent } from './file-events.ts';
import { type FileAddresses, fileUrl, toFileWire } from './file-wire.ts';
import { filePrefix } from './keys.ts';
import { Processing, type ProcessingDependencies } from './processing.ts';
import type { Rendition } from './renditions.ts';
import * as store from './store.ts';
import type { FileRow } from './tables.ts';

export type { UploadedImage, UploadedVideo } from './create-from-upload.ts';
export { FILE_EVENTS, type FileEventEnvelope } from './file-events.ts';
export { generatedImagePrefix, originalPrefix, transientPrefixes, uploadPrefix } from './keys.ts';
export { keptName, slugOf } from './names.ts';
export type { MediaProcess } from './processing-attempt.ts';

const WIPE_BATCH_SIZE = 100;

/** What delivery needs to know of a file. */
export type DeliveredFile = Pick<
  store.PlacedFile,
  | 'id'
  | 'bucket_id'
  | 'region'
  | 'name'
  | 'access'
  | 'status'
  | 'prefix'
  | 'entry'
  | 'poster'
  | 'file_type'
  | 'width'
  | 'height'
  | 'duration'
  | 'created_at'
>;

export type FileDependencies = Omit<ProcessingDependencies, 'buckets' | 'announce'> &
  FileAddresses & {
    buckets: Pick<Buckets, 'byId' | 'receive' | 'add' | 'forgetFiles'>;
    webhooks: Pick<Webhooks, 'announce'>;
    tokens: Pick<Tokens, 'mintForList' | 'mintForFile'>;
    keepOriginals: boolean;
    /** How many bytes of a file were sent this month, and since its upload. */
    bandwidthOf: (fileId: string) => Promise<{ month: number; total: number }>;
  };

/** The files of all buckets: their rows, their processing and what is stored of them. */
export class Files {
  private readonly processing: Processing;

  constructor(private readonly deps: FileDependencies) {
    this.processing = new Processing({
      ...deps,
      announce: (tx, type, row) =>
        deps.webhooks.announce(tx, row.bucket_id, [{ type, file: this.toWire(row, 0) }]),
    });
  }

  /** The newest files first, with a read token of the bucket. Throws not-found. */
  async list(bucketId: string, filters: store.FileFilters): Promise<FilePageWire> {
    const { database, buckets, queue, tokens } = this.deps;
    const bucket = await buckets.byId(bucketId);
    if (!bucket) throw notFound('Bucket');
    const rows = await store.listFiles(database.db, bucketId, filters);
    const waiting = rows.filter((row) => row.status === 'processing').map((row) => row.id);
    const progress = await queue.progressOf(waiting);
    const page = toPage(rows, filters.limit, (row) =>
      this.toWire({ ...row, region: bucket.region }, progress.get(row.id) ?? 0),
    );
    return { ...page, jwt: await tokens.mintForList(bucket) };
  }

  /**
   * Makes a file of an upload, in the transaction that completes the upload. Wake the queue once
   * that is committed. Returns null where the upload's objects are being deleted. Throws conflict,
   * banned.
   */
  async createFromUpload(tx: Tx, upload: CompleteUpload): Promise<FileWire | null> {
    const row = await createFromUpload({ ...this.deps, processing: this.processing }, tx, upload);
    // The region decides only about URLs, and an unprocessed file has none.
    return row && this.toWire({ ...row, region: null }, 0);
  }

  /** The file of an id; undefined where there is none. */
  async find(fileId: string): Promise<FileWire | undefined> {
    const { database, queue } = this.deps;
    const row = await store.fileById(database.db, fileId);
    if (!row) return undefined;
    const progress = await queue.progressOf([fileId]);
    return this.toWire(row, progress.get(fileId) ?? 0);
  }

  /** Everything about one file, with a read token for it for an hour. Throws not-found. */
  async detail(bucket: Bucket, fileId: string): Promise<FileDetailWire> {
    const { database, queue, tokens, regionRouter, bandwidthOf } = this.deps;
    const row = await store.fileById(database.db, fileId);
    if (row?.bucket_id !== bucket.id) throw notFound('File');
    const [work, bandwidth, jwt] = await Promise.all([
      queue.workOn(row.file_type, fileId),
      bandwidthOf(fileId),
      tokens.mintForFile(bucket, fileId),
    ]);
    const stored: Rendition[] | null = row.renditions && JSON.parse(row.renditions);
    const renditions = stored?.map(({ entry, ...rendition }) => ({
      ...rendition,
      url: fileUrl(regionRouter, row, entry),
    }));
    return {
      ...this.toWire(row, work?.progress ?? 0),
      attempts: work?.attempts ?? null,
      renditions: renditions ?? null,
      bandwidth,
      jwt,
    };
  }

  /**
   * Stops a file's delivery and processing at once; its objects are removed later, with the pending
   * deletes. Throws not-found.
   */
  async remove(bucket: Bucket, fileId: string, actor: Actor): Promise<void> {
    const { database, queue, events } = this.deps;
    const removed = await database.transaction((tx) => this.removeRow(tx, bucket, fileId, actor));
    if (!removed) throw notFound('File');
    queue.abort([fileId]);
    const file = { id: fileId, bucketId: bucket.id, userId: bucket.user_id };
    await publishFileEvent(events, 'file.deleted', file, removed.status, 100);
  }

  /** Removes all files of a bucket and their jobs. It may be called again after it was cut off. */
  async wipe(bucketId: string): Promise<void> {
    for (;;) {
      const ids = await this.deps.database.transaction((tx) => this.wipeBatch(tx, bucketId));
      this.deps.queue.abort(ids);
      if (ids.length < WIPE_BATCH_SIZE) return;
    }
  }

  /**
   * Adds bytes, which may be negative, to what is stored of a processed file. Returns false where
   * there is no such file; otherwise the file's row is locked until the transaction ends.
   */
  async weigh(tx: Tx, file: Pick<FileRow, 'id' | 'bucket_id'>, bytes: number): Promise<boolean> {
    if (!(await store.addStoredBytes(tx, file.id, bytes))) return false;
    await this.deps.buckets.add(tx, file.bucket_id, { bytes, files: 0, fileId: file.id });
    return true;
  }

  /** What delivery needs to know of a file; undefined where there is none. */
  forDelivery(fileId: string): Promise<DeliveredFile | undefined> {
    return store.fileById(this.deps.database.db, fileId);
  }

  private toWire(row: store.PlacedFile, progress: number): FileWire {
    return toFileWire(row, progress, this.deps);
  }

  private async removeRow(
    tx: Tx,
    bucket: Bucket,
    fileId: string,
    actor: Actor,
  ): Promise<FileRow | null> {
    const file = await store.takeFile(tx, bucket.id, fileId);
    if (!file) return null;
    await this.release(tx, file);
    await this.deps.buckets.add(tx, bucket.id, { bytes: -file.stored_bytes, files: -1, fileId });
    await this.announceDeleted(tx, bucket.id, [{ ...file, region: bucket.region }]);
    await record(tx, this.deps.clock(), {
      section: 'files',
      action: 'file.deleted',
      message: `File ${quoted(file.name)} deleted.`,
      actor,
      subject: fileId,
      details: { bucket: bucket.id, bytes: file.stored_bytes },
    });
    return file;
  }

  /** Removes some of a bucket's files and returns their ids. */
  private async wipeBatch(tx: Tx, bucketId: string): Promise<string[]> {
    const files = await store.someFiles(tx, bucketId, WIPE_BATCH_SIZE);
    for (const file of files) await this.release(tx, file);
    await this.announceDeleted(tx, bucketId, files);
    const ids = files.map(({ id }) => id);
    if (ids.length > 0) {
      await store.deleteFiles(tx, ids);
      await this.deps.buckets.forgetFiles(tx, ids);
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

  private announceDeleted(tx: Tx, bucketId: string, rows: store.PlacedFile[]): Promise<void> {
    const news = rows.map((row) => ({
      type: 'file.deleted' as const,
      file: this.toWire(row, 0),
    }));
    return this.deps.webhooks.announce(tx, bucketId, news);
  }
}
