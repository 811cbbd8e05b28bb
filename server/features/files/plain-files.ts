import type { Access } from '../../contract/wire.ts';
import { AppError, conflict } from '../../errors.ts';
import type { Actor } from '../../platform/audit/record.ts';
import type { Clock } from '../../platform/clock.ts';
import { runStatements } from '../../platform/db/batch.ts';
import type { Database, Tx } from '../../platform/db/port.ts';
import { timeOf } from '../../platform/ids.ts';
import { cancellation } from '../../platform/storage/pending-deletes-store.ts';
import { type Preconditions, preconditionsHold } from '../../web/http/conditional-requests.ts';
import type { Bucket, Buckets } from '../buckets/service.ts';
import type { FileAnnouncements } from './announce-change.ts';
import { blobById } from './blobs-store.ts';
import type { FileDeletion } from './file-deletion.ts';
import { etagOf } from './keys.ts';
import { fileAt, lockPath } from './paths/insertion-store.ts';
import { type FileWithRegion, fileById, fileInsertions, filesAt, NO_MEDIA } from './store.ts';
import type { BlobRow, MediaFileRow } from './tables.ts';

/** What to do where another file is at the path of an upload: give the new one a number, delete that file, or refuse. */
export type OnConflict = 'rename' | 'replace' | 'error';

/** A file that is delivered as it was uploaded, in one object below `prefix`, whose deletion is pending. */
export type PlainUpload = {
  /** The id that the file gets. */
  fileId: string;
  bucket: Bucket;
  name: string;
  /** Where the file is to be in its bucket. */
  path: string;
  onConflict: OnConflict;
  /** What the upload expects to be at the path. */
  preconditions: Preconditions;
  /** Who replaces the file at the path. */
  actor: Actor;
  size: number;
  access: Access;
  contentType: string;
  prefix: string;
  key: string;
  /** The hashes of the bytes in hex; null where they are unknown. */
  sha256: string | null;
  md5: string | null;
  /** What an S3 client has stored with the object; see the columns of these names. */
  stored?: { metadata: string | null; headers: string | null };
  etag?: string | null;
  checksum?: string | null;
  /** Returns what to throw where the deletion has started. */
  expired: () => AppError;
  /** Writes what else changes with the file, in the transaction that creates it. */
  onCreate?: (tx: Tx) => Promise<void>;
};

type Deps = {
  database: Database;
  clock: Clock;
  buckets: Pick<Buckets, 'contents'>;
  deletion: Pick<FileDeletion, 'deleteIn'>;
  announcements: FileAnnouncements;
};

/**
 * Creates a file that is not processed, and returns its row. Throws conflict, path-taken, other-version, banned, and
 * what the upload says where its deletion has started.
 */
export async function createPlainFile(deps: Deps, upload: PlainUpload): Promise<FileWithRegion> {
  const { database, buckets, announcements } = deps;
  const { fileId, bucket, prefix, expired, size } = upload;
  const row = newFileRow(upload);
  const { stored, finish } = await database.transaction(async (tx) => {
    // Two that share the bucket, as uploads do, would wait for each other if both then excluded the others.
    if (upload.onConflict === 'replace') await buckets.contents.lock(tx, bucket.id);
    await upload.onCreate?.(tx);
    const change = { bytes: size, fileId, createdAt: row.created_at };
    await runStatements(tx, [
      cancellation(tx, prefix, expired),
      ...buckets.contents.uploadAdditions(bucket, change),
    ]);
    if (readsPath(upload)) await lockPath(tx, { bucket_id: bucket.id, path: upload.path });
    await requirePreconditions(tx, upload);
    const finish = await clearPath(deps, tx, upload);
    const blob = newBlobRow(upload);
    await runStatements(tx, fileInsertions(tx, row, { blob, isProcessed: false }));
    const stored = await fileById(tx, fileId);
    if (!stored) throw new Error('A file that was inserted is not there.');
    await runStatements(tx, await announcements(tx, 'file.success', stored));
    return { stored, finish };
  });
  finish?.();
  return stored;
}

/** Whether an upload depends on what is at its path, where it then must stay the only one until it is committed. */
const readsPath = ({ onConflict, preconditions }: PlainUpload): boolean =>
  onConflict !== 'rename' || preconditions.ifMatch !== null || preconditions.ifNoneMatch !== null;

/** Throws other-version where not that is at the path of an upload which it expects. */
async function requirePreconditions(
  tx: Tx,
  { bucket, path, preconditions }: PlainUpload,
): Promise<void> {
  if (preconditions.ifMatch === null && preconditions.ifNoneMatch === null) return;
  const [file] = await filesAt(tx, bucket.id, [path]);
  const blobId = file?.blob_id ?? null;
  const blob = blobId === null ? undefined : await blobById(tx, blobId);
  if (preconditionsHold(preconditions, file ? etagsOf(file, blob) : null)) return;
  const text = file ? 'Another file is at this path.' : 'No file is at this path.';
  throw new AppError(412, 'other-version', text);
}

/** Returns the ETag with which a file is delivered, which has none until it is published, and the one of its bytes. */
function etagsOf({ prefix, entry }: MediaFileRow, blob: BlobRow | undefined): string[] {
  const delivered = prefix === null || entry === null ? [] : [etagOf(prefix + entry)];
  return [...delivered, blob?.etag ?? blob?.md5 ?? []].flat().map((etag) => `"${etag}"`);
}

/**
 * Replaces the file at the path of an upload, and returns the function to call after the commit.
 * Throws path-taken where the upload may not.
 */
async function clearPath(
  { deletion }: Deps,
  tx: Tx,
  { bucket, path, onConflict, actor }: PlainUpload,
): Promise<(() => void) | null> {
  if (onConflict === 'rename') return null;
  const earlier = await fileAt(tx, bucket.id, path);
  if (earlier === undefined) return null;
  if (onConflict === 'error') throw conflict('Another file is at this path.', 'path-taken');
  return deletion.deleteIn(tx, bucket, earlier, actor, { cause: 'replaced' });
}

const newBlobRow = ({
  fileId,
  bucket,
  prefix,
  key,
  size,
  md5,
  ...upload
}: PlainUpload): BlobRow => ({
  id: fileId,
  bucket_id: bucket.id,
  prefix,
  object_key: key,
  size,
  refs: 1,
  md5,
  etag: upload.etag ?? null,
  checksum: upload.checksum ?? null,
  created_at: timeOf(fileId),
});

const newFileRow = (upload: PlainUpload): MediaFileRow => ({
  id: upload.fileId,
  bucket_id: upload.bucket.id,
  name: upload.name,
  path: upload.path,
  content_type: upload.contentType,
  size: upload.size,
  file_type: upload.contentType.startsWith('audio/') ? 'audio' : 'file',
  access: upload.access,
  ...NO_MEDIA,
  blob_id: upload.fileId,
  sha256: upload.sha256,
  stored_bytes: upload.size,
  superseded_at: null,
  expires_at: null,
  metadata: upload.stored?.metadata ?? null,
  headers: upload.stored?.headers ?? null,
  created_at: timeOf(upload.fileId),
});
