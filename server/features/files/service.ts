import type { FileDetailWire, FilePageWire, FileWire } from '../../contract/wire.ts';
import { notFound } from '../../errors.ts';
import type { Statement } from '../../platform/db/batch.ts';
import type { Tx } from '../../platform/db/port.ts';
import type { Bucket, Buckets, Webhooks } from '../buckets/service.ts';
import type { Reader } from '../tokens/guard.ts';
import type { Tokens } from '../tokens/service.ts';
import { BulkChanges } from './changes/bulk.ts';
import { Expiry } from './changes/expiry.ts';
import { FileUpdates } from './changes/updates.ts';
import { type CompleteUpload, fileFromUpload } from './create-from-upload.ts';
import { FileDeletion } from './file-deletion.ts';
import {
  type FileAddresses,
  type FileWork,
  fileUrl,
  NO_WORK,
  publishFileEvent,
  toFileWire,
} from './file-wire.ts';
import { EmptyFolders } from './folders/empty-folders.ts';
import { FolderJobs } from './folders/folder-jobs.ts';
import { type FileFilters, listFiles } from './listing/list-store.ts';
import { Folders } from './paths/folders.ts';
import { fileAt } from './paths/insertion-store.ts';
import { Moves } from './paths/moves.ts';
import { createPlainFile, type PlainUpload } from './plain-files.ts';
import { FileRetries } from './processing/file-retries.ts';
import { Processing, type ProcessingDeps } from './processing/processing.ts';
import type { Rendition } from './processing/renditions.ts';
import { Restores } from './retention/restores.ts';
import { Trash } from './retention/trash.ts';
import * as store from './store.ts';
import type { MediaFileRow } from './tables.ts';

export type { UploadedImage, UploadedVideo } from './create-from-upload.ts';
export { FILE_EVENTS, type FileEventEnvelope, isProcessed } from './file-wire.ts';
export {
  etagOf,
  generatedImagePrefix,
  originalPrefix,
  transientPrefixes,
  uploadPrefix,
} from './keys.ts';
export { keptName, objectNameOf, slugOf } from './names.ts';
export { contentTypeOf, storedContentType } from './paths/content-types.ts';
export { isPath, pathInFolder, requireFolder, requirePath } from './paths/paths.ts';
export type { OnConflict } from './plain-files.ts';
export type { MediaProcess } from './processing/processing-attempt.ts';

/** A file as delivery sees it. */
export type DeliveredFile = Pick<
  store.FileWithRegion,
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
  | 'content_type'
  | 'width'
  | 'height'
  | 'is_turned'
  | 'duration'
  | 'created_at'
  | 'expires_at'
>;

export type FileDeps = Omit<ProcessingDeps, 'buckets' | 'announcements'> &
  FileAddresses & {
    buckets: Pick<Buckets, 'contents' | 'byId'>;
    webhooks: Pick<Webhooks, 'announce' | 'announcements'>;
    tokens: Pick<Tokens, 'mintForList' | 'mintForFile'>;
    keepOriginals: boolean;
    /** Returns how many bytes of a file were sent this month, and in total. */
    bandwidthOf: (fileId: string) => Promise<{ month: number; total: number }>;
  };

/** The files of all buckets. Their processing, retries and deletion are classes of their own. */
export class Files {
  readonly deletion: FileDeletion;
  readonly retries: FileRetries;
  readonly moves: Moves;
  readonly trash: Trash;
  readonly restores: Restores;
  readonly folders: Folders;
  readonly updates: FileUpdates;
  readonly bulk: BulkChanges;
  readonly expiry: Expiry;
  readonly emptyFolders: EmptyFolders;
  readonly folderJobs: FolderJobs;
  private readonly processing: Processing;

  constructor(private readonly deps: FileDeps) {
    this.processing = new Processing({ ...deps, announcements: this.announcements });
    this.deletion = new FileDeletion(deps);
    this.retries = new FileRetries(deps);
    this.moves = new Moves({ ...deps, deletion: this.deletion });
    const { deletion, moves } = this;
    this.updates = new FileUpdates({ ...deps, moves });
    this.bulk = new BulkChanges({ ...deps, deletion, moves, updates: this.updates });
    this.folderJobs = new FolderJobs({ ...deps, deletion, moves });
    this.emptyFolders = new EmptyFolders(deps);
    this.expiry = new Expiry({ ...deps, deletion });
    this.trash = new Trash({ ...deps, deletion });
    this.restores = new Restores({ ...deps, deletion });
    this.folders = new Folders({ ...deps, processing: this.processing });
  }

  /**
   * Returns a page of a bucket's files with a read token of the bucket. Throws bad-request.
   * @param reader with the bucket as their right was checked: the token must not be of a newer key
   */
  async list(reader: Reader, filters: FileFilters): Promise<FilePageWire> {
    const { database, tokens } = this.deps;
    const { bucket } = reader;
    const { rows, next } = await listFiles(database.db, bucket.id, filters);
    const workOf = await this.processing.workOf(rows);
    return {
      data: rows.map((row) => this.toWire({ ...row, region: bucket.region }, workOf(row.id))),
      nextId: next,
      jwt: await tokens.mintForList(reader),
    };
  }

  /**
   * Returns the file of an upload, and the statements that create it, for the batch that completes the upload. The
   * caller announces it after the commit. The batch throws conflict, banned, and what the upload says where its
   * objects are being deleted.
   */
  fromUpload(upload: CompleteUpload): { file: FileWire; statements: Statement[] } {
    const { row, statements } = fileFromUpload(
      { ...this.deps, processing: this.processing },
      upload,
    );
    // The region decides only about URLs, and an unprocessed file has none.
    return { file: this.toWire({ ...row, region: null }, NO_WORK), statements };
  }

  /**
   * Creates a file that is delivered as it was uploaded, and tells the open pages of its owner. Throws conflict,
   * path-taken, other-version, banned, and what the upload says where its object is being deleted.
   */
  async createPlain(upload: PlainUpload): Promise<FileWire> {
    const { bucket } = upload;
    const { deps, deletion, announcements } = this;
    const row = await createPlainFile({ ...deps, deletion, announcements }, upload);
    const file = { id: row.id, bucketId: bucket.id, userId: bucket.user_id };
    publishFileEvent(this.deps.events, 'file.created', file, 'success', 100).catch(() => {});
    return this.toWire(row, NO_WORK);
  }

  /**
   * Starts the processing of a file that an upload has created, and tells the open pages of its owner. It is
   * called after the commit. A page that misses the event shows the file with the next one, or once it has the
   * focus, so the upload neither waits for the event nor fails with it.
   */
  announceCreated(file: Pick<FileWire, 'id' | 'file_type'>, bucket: Bucket): void {
    const { queue, events } = this.deps;
    queue.wake(file.file_type);
    const subject = { id: file.id, bucketId: bucket.id, userId: bucket.user_id };
    publishFileEvent(events, 'file.created', subject, 'processing', 0).catch(() => {});
  }

  /** Returns a file by id; undefined where there is none. */
  async find(fileId: string): Promise<FileWire | undefined> {
    const row = await store.fileById(this.deps.database.db, fileId);
    if (!row) return undefined;
    const workOf = await this.processing.workOf([row]);
    return this.toWire(row, workOf(fileId));
  }

  /**
   * Returns all details of a file, with a read token that is valid for an hour. Throws not-found.
   */
  async detail(reader: Reader, fileId: string): Promise<FileDetailWire> {
    const { database, queue, tokens, regionRouter, bandwidthOf } = this.deps;
    const { bucket } = reader;
    const row = await store.fileById(database.db, fileId);
    if (row?.bucket_id !== bucket.id) throw notFound('File');
    const [work, workOf, bandwidth, jwt] = await Promise.all([
      queue.workOn(row.file_type, fileId),
      this.processing.workOf([row]),
      bandwidthOf(fileId),
      tokens.mintForFile(reader, fileId),
    ]);
    const stored: Rendition[] | null = row.renditions && JSON.parse(row.renditions);
    const renditions = stored?.map(({ entry, ...rendition }) => ({
      ...rendition,
      url: fileUrl(regionRouter, row, entry),
    }));
    return {
      ...this.toWire(row, workOf(fileId)),
      attempts: work?.attempts ?? null,
      renditions: renditions ?? null,
      bandwidth,
      jwt,
    };
  }

  /**
   * Adds bytes, which may be negative, to a processed file and its bucket. Returns false where
   * there is no such file; otherwise the file's row is locked until the transaction ends.
   */
  async addStoredBytes(
    tx: Tx,
    file: Pick<MediaFileRow, 'id' | 'bucket_id'>,
    bytes: number,
  ): Promise<boolean> {
    const row = await store.addStoredBytes(tx, file.id, bytes);
    if (row === undefined) return false;
    const isCurrent = row.superseded_at === null;
    const change = { bytes, fileId: file.id, createdAt: row.created_at, isCurrent };
    await this.deps.buckets.contents.change(tx, file.bucket_id, change);
    return true;
  }

  /** Returns a file as delivery sees it; undefined where there is none. */
  forDelivery(fileId: string): Promise<DeliveredFile | undefined> {
    return store.fileById(this.deps.database.db, fileId);
  }

  /** Returns the statements that tell the bucket's webhook of a file. */
  private readonly announcements: ProcessingDeps['announcements'] = (db, type, row) =>
    this.deps.webhooks.announcements(db, row.bucket_id, [
      { type, file: this.toWire(row, NO_WORK) },
    ]);

  /** Returns the id of the file at a path of a bucket; undefined where there is none. */
  idAt(bucketId: string, path: string): Promise<string | undefined> {
    return fileAt(this.deps.database.db, bucketId, path);
  }

  private toWire(row: store.FileWithRegion, work: FileWork): FileWire {
    return toFileWire(row, work, this.deps);
  }
}
