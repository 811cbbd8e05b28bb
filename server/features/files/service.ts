import type { FileDetailWire, FilePageWire, FileWire } from '../../contract/wire.ts';
import { notFound } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Statement } from '../../platform/db/batch.ts';
import type { Database, Tx } from '../../platform/db/port.ts';
import type { Events } from '../../platform/events/port.ts';
import { createSlots } from '../../platform/slots.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';
import type { Bucket, Buckets, Webhooks } from '../buckets/service.ts';
import type { Reader } from '../tokens/guard.ts';
import type { Tokens } from '../tokens/service.ts';
import { type FileAnnouncements, fileAnnouncements } from './announce-change.ts';
import { BulkChanges } from './changes/bulk.ts';
import { Expiry } from './changes/expiry.ts';
import { ExpiryByPrefix } from './changes/expiry-by-prefix.ts';
import { FileUpdates } from './changes/updates.ts';
import { BulkCopies } from './copies/bulk-copies.ts';
import { Copies } from './copies/copies.ts';
import { type CompleteUpload, createFromUpload, fileFromUpload } from './create-from-upload.ts';
import { FileDeletion } from './file-deletion.ts';
import {
  type FileAddresses,
  type FileWork,
  NO_WORK,
  publishFileEvent,
  toFileWire,
} from './file-wire.ts';
import { EmptyFolders } from './folders/empty-folders.ts';
import { FolderJobs } from './folders/folder-jobs.ts';
import { type FileFilters, isWholeList } from './listing/filters-store.ts';
import { listFiles } from './listing/list-store.ts';
import { recentFiles } from './listing/recent-files.ts';
import type { ObjectRange } from './objects/object-range.ts';
import {
  hasAnyFile,
  type ObjectEntry,
  type ObjectRow,
  objectAt,
  objectEntries,
  partsOf,
} from './objects/object-store.ts';
import { Folders } from './paths/folders.ts';
import { insertedPath } from './paths/insertion-store.ts';
import { Moves } from './paths/moves.ts';
import { createPlainFile, type PlainUpload } from './plain-files.ts';
import { type Destination, fileToReplace, readsPath } from './replacing/destination.ts';
import { Replacements } from './replacing/replacements.ts';
import { Restores } from './retention/restores.ts';
import { Trash } from './retention/trash.ts';
import * as store from './store.ts';
import type { MediaFileRow } from './tables.ts';
import type { VersionHook } from './version-hook.ts';
import { Versions } from './versions/versions.ts';
import { Zips } from './zips/zips.ts';

export { type FileAnnouncements, fileAnnouncements } from './announce-change.ts';
export {
  blobDeletion,
  blobPlacement,
  factsUpdate,
  hasFiles,
  type ReadableFile,
  readableFiles,
  takeBlobs,
} from './blobs-store.ts';
export type { CompleteUpload } from './create-from-upload.ts';
export {
  type EventFile,
  FILE_EVENTS,
  type FileAddresses,
  type FileEventEnvelope,
  type FileWork,
  fileUrl,
  isProcessed,
  NO_WORK,
  publishFileEvent,
} from './file-wire.ts';
export {
  attemptPrefix,
  etagOf,
  generatedImagePrefix,
  originalPrefix,
  transientPrefixes,
  unknownEtag,
  uploadPrefix,
} from './keys.ts';
export { keptName, objectNameOf, slugOf } from './names.ts';
export { type ObjectEntry, type ObjectRow, objectEntries } from './objects/object-store.ts';
export { raised as raisedPrefix } from './objects/raised.ts';
export { contentTypeOf, isToldByBytes, storedContentType } from './paths/content-types.ts';
export { isPath, pathInFolder, requireFolder, requirePath } from './paths/paths.ts';
export type { PlainUpload } from './plain-files.ts';
export type { OnConflict } from './replacing/destination.ts';
export type { Replacements } from './replacing/replacements.ts';
export { type FileWithRegion, fileById } from './store.ts';
export type { FileRow, MediaFileRow } from './tables.ts';
export type { PlainBytes, VersionHook, WorkedOn } from './version-hook.ts';
export type { VersionEntry } from './versions/list-versions.ts';
export { NULL_VERSION, versionIdOf } from './versions/version-id.ts';
export type { DeleteMarker } from './versions/versions.ts';
export type { ZipEntry } from './zips/zip-entries.ts';
export type { ZipContents } from './zips/zips.ts';

/** A file as delivery sees it. */
export type DeliveredFile = Pick<
  store.FileWithRegion,
  | 'id'
  | 'bucket_id'
  | 'region'
  | 'path'
  | 'name'
  | 'access'
  | 'status'
  | 'prefix'
  | 'entry'
  | 'poster'
  | 'file_type'
  | 'size'
  | 'renditions'
  | 'content_type'
  | 'width'
  | 'height'
  | 'is_turned'
  | 'duration'
  | 'thumb_hash'
  | 'created_at'
  | 'expires_at'
  | 'headers'
>;

export type FileDeps = FileAddresses & {
  database: Database;
  clock: Clock;
  events: Events;
  buckets: Pick<Buckets, 'contents' | 'byId' | 'expiryWalks' | 'quotas'>;
  webhooks: Pick<Webhooks, 'announcements'>;
  objects: Pick<ObjectStore, 'head' | 'list' | 'copy'>;
  tokens: Pick<Tokens, 'mintForList' | 'mintForFile' | 'mintForZip'>;
  versions: VersionHook;
  /** Returns how many bytes of a file were sent this month, and in total. */
  bandwidthOf: (fileId: string) => Promise<{ month: number; total: number }>;
};

/** How many uploads replace files at the same time, in this process and of an account. */
const [REPLACING, REPLACING_PER_ACCOUNT] = [1000, 4];

/** The files of all buckets. Their deletion, paths and changes are classes of their own. */
export class Files {
  readonly deletion: FileDeletion;
  readonly replacements: Replacements;
  readonly moves: Moves;
  readonly trash: Trash;
  readonly restores: Restores;
  readonly folders: Folders;
  readonly updates: FileUpdates;
  readonly bulk: BulkChanges;
  readonly expiry: Expiry;
  readonly expiryByPrefix: ExpiryByPrefix;
  readonly emptyFolders: EmptyFolders;
  readonly folderJobs: FolderJobs;
  readonly versions: Versions;
  readonly zips: Zips;
  readonly copies: Copies;
  readonly bulkCopies: BulkCopies;
  private readonly announcements: FileAnnouncements;
  /**
   * An upload that replaces a file waits for others of its path, and for what has its bucket alone, with a connection of
   * PostgreSQL. Those of one account would otherwise have them all, and everybody else would wait for one. SQLite commits
   * together what waits there.
   */
  private readonly replacing = createSlots(
    REPLACING,
    'Too many uploads of this account are replacing files. Try again.',
    { maxPerKey: REPLACING_PER_ACCOUNT },
  );

  constructor(private readonly deps: FileDeps) {
    this.announcements = fileAnnouncements(deps);
    this.deletion = new FileDeletion(deps);
    this.replacements = new Replacements({ deletion: this.deletion });
    this.moves = new Moves({ ...deps, deletion: this.deletion });
    const { deletion, moves } = this;
    this.updates = new FileUpdates({ ...deps, moves });
    this.bulk = new BulkChanges({ ...deps, deletion, moves, updates: this.updates });
    const { replacements, announcements } = this;
    this.copies = new Copies({ ...deps, deletion, replacements, announcements });
    const { copies } = this;
    this.bulkCopies = new BulkCopies({ ...deps, copies });
    this.folderJobs = new FolderJobs({ ...deps, deletion, moves, copies });
    this.emptyFolders = new EmptyFolders(deps);
    this.expiry = new Expiry({ ...deps, deletion });
    this.expiryByPrefix = new ExpiryByPrefix({ ...deps, deletion });
    this.trash = new Trash({ ...deps, deletion });
    this.restores = new Restores({ ...deps, deletion });
    const { emptyFolders, trash, restores } = this;
    this.versions = new Versions({ ...deps, deletion, emptyFolders, trash, restores });
    this.folders = new Folders(deps);
    this.zips = new Zips(deps);
  }

  /**
   * Returns a page of a bucket's files with a read token of the bucket. Throws bad-request.
   * @param reader with the bucket as their right was checked: the token must not be of a newer key
   */
  async list(reader: Reader, filters: FileFilters): Promise<FilePageWire> {
    const { database, tokens } = this.deps;
    const { bucket } = reader;
    const { rows, next } = await listFiles(database.db, bucket.id, filters);
    const workOf = await this.deps.versions.workOf(rows);
    return {
      data: rows.map((row) => this.toWire({ ...row, region: bucket.region }, workOf(row.id))),
      nextId: next,
      total: isWholeList(filters) ? bucket.total_uploads : null,
      jwt: await tokens.mintForList(reader),
    };
  }

  /**
   * Returns the newest files of all buckets of an account, and the newest ones of each of some of its buckets.
   */
  recent(userId: string, bucketIds: string[]) {
    return recentFiles(this.deps.database.db, userId, bucketIds);
  }

  /**
   * Creates the file of an upload, which is processed, and returns it. The caller announces it. Throws conflict, banned,
   * path-taken, other-version, too-many, and what the upload says where its objects are being deleted.
   * @param statements what else is written with it, before it
   */
  async fromUpload(upload: CompleteUpload, statements: Statement[] = []): Promise<FileWire> {
    const { database } = this.deps;
    if (readsPath(upload)) {
      return database.transaction((tx) => this.fromUploadIn(tx, upload, statements));
    }
    const { row, counting, insertions } = fileFromUpload(this.deps, upload);
    const results = await database.batch([...statements, ...counting, ...insertions]);
    const place = { path: insertedPath(results), replaces_path: null };
    // The region decides only about URLs, and an unprocessed file has none.
    return this.toWire({ ...row, ...place, region: null }, NO_WORK);
  }

  /** Does the same in a transaction, after whose commit the caller announces the file. */
  async fromUploadIn(tx: Tx, upload: CompleteUpload, statements: Statement[]): Promise<FileWire> {
    return this.toWire(await createFromUpload(this.deps, tx, upload, statements), NO_WORK);
  }

  /**
   * Throws path-taken and other-version where an upload to a destination would be refused now, so that its bytes are
   * not sent in vain.
   */
  async requireFree(bucketId: string, destination: Destination): Promise<void> {
    if (!readsPath(destination)) return;
    await fileToReplace(this.deps.database.db, bucketId, destination);
  }

  /**
   * Creates a file that is delivered as it was uploaded, and tells the open pages of its owner. Throws conflict,
   * path-taken, other-version, banned, unavailable where too many others of the account replace files, and what
   * the upload says where its object is being deleted.
   */
  async createPlain(upload: PlainUpload): Promise<FileWire> {
    const { bucket } = upload;
    const { deps, deletion, replacements, announcements } = this;
    const plain = { ...deps, deletion, replacements, announcements };
    const create = () => createPlainFile(plain, upload);
    const mayWait = upload.onConflict === 'replace' && deps.database.engine === 'postgres';
    const row = await (mayWait ? this.replacing(create, bucket.user_id) : create());
    deps.versions.afterPlain(upload);
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
    const { versions, events } = this.deps;
    versions.afterVersion(file);
    const subject = { id: file.id, bucketId: bucket.id, userId: bucket.user_id };
    publishFileEvent(events, 'file.created', subject, 'processing', 0).catch(() => {});
  }

  /** Returns a file by id; undefined where there is none. */
  async find(fileId: string): Promise<FileWire | undefined> {
    const row = await store.fileById(this.deps.database.db, fileId);
    if (!row) return undefined;
    const workOf = await this.deps.versions.workOf([row]);
    return this.toWire(row, workOf(fileId));
  }

  /**
   * Returns all details of a file, with a read token that is valid for an hour. Throws not-found.
   */
  async detail(reader: Reader, fileId: string): Promise<FileDetailWire> {
    const { database, versions, tokens, bandwidthOf } = this.deps;
    const { bucket } = reader;
    const row = await store.fileById(database.db, fileId);
    if (row?.bucket_id !== bucket.id) throw notFound('File');
    const [details, workOf, bandwidth, jwt] = await Promise.all([
      versions.detailsOf(row),
      versions.workOf([row]),
      bandwidthOf(fileId),
      tokens.mintForFile(reader, fileId),
    ]);
    return { ...this.toWire(row, workOf(fileId)), ...details, bandwidth, jwt };
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
    await this.deps.buckets.contents.hold(tx, file.bucket_id);
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

  /** Does the same for the file at a path of a bucket. */
  forDeliveryAt(bucketId: string, path: string): Promise<DeliveredFile | undefined> {
    return store.fileAtPath(this.deps.database.db, bucketId, path);
  }

  /** Returns the file or the folder at a path of a bucket as S3 clients see it; undefined where nothing is. */
  objectAt(bucketId: string, path: string): Promise<ObjectRow | undefined> {
    return objectAt(this.deps.database.db, bucketId, path);
  }

  /** Returns the parts in which a file was uploaded by an S3 client, as JSON; null where that is unknown, or was in one. */
  partsOf(fileId: string): Promise<string | null> {
    return partsOf(this.deps.database.db, fileId);
  }

  /** Returns the first objects and common prefixes of a bucket in a range. */
  objectEntries(bucketId: string, range: ObjectRange): Promise<ObjectEntry[]> {
    return objectEntries(this.deps.database.db, bucketId, range);
  }

  /** Whether anything is in a bucket, also in its trash, earlier versions and folders that were created. */
  hasAny(tx: Tx, bucketId: string): Promise<boolean> {
    return hasAnyFile(tx, bucketId);
  }

  private toWire(row: store.FileWithRegion, work: FileWork): FileWire {
    return toFileWire(row, work, this.deps);
  }
}
