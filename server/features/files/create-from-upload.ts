import type { Size } from '../../contract/media.ts';
import type { Access } from '../../contract/wire.ts';
import type { AppError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Statement } from '../../platform/db/batch.ts';
import type { Database } from '../../platform/db/port.ts';
import { newId, timeOf } from '../../platform/ids.ts';
import { rootOf } from '../../platform/region-routing.ts';
import { redirection } from '../../platform/storage/pending-deletes-store.ts';
import type { Bucket, Buckets } from '../buckets/service.ts';
import { attemptPrefix, RESULTS_TTL_MS } from './keys.ts';
import { slugOf } from './names.ts';
import { uploadedContentType } from './paths/content-types.ts';
import { pathInFolder } from './paths/paths.ts';
import type { Processing } from './processing/processing.ts';
import type { ProcessingJob } from './processing/processing-jobs.ts';
import { fileInsertions, NO_MEDIA } from './store.ts';
import type { BlobRow, MediaFileRow } from './tables.ts';

/**
 * An upload whose bytes are stored below `prefix`. Their deletion is pending until the upload is a
 * file.
 */
export type CompleteUpload = {
  /** The id that the file gets. */
  fileId: string;
  bucket: Pick<Bucket, 'id' | 'user_id'>;
  name: string;
  /** Where the file is to be in its bucket, beside its name; '' for the top. */
  folder: string;
  size: number;
  access: Access;
  prefix: string;
  content: UploadedImage | UploadedVideo;
  /** Returns what to throw where the deletion has started. */
  expired: () => AppError;
};

/** An uploaded image, which is one object. */
export type UploadedImage = { type: 'image'; key: string; webp: boolean };

/** An uploaded video, whose bytes are those of all its objects in order. */
export type UploadedVideo = {
  type: 'video';
  keys: string[];
  resolutions: Size[];
  thumbnail: string | null;
  timelinePreview: boolean;
};

type Deps = {
  database: Database;
  clock: Clock;
  buckets: Pick<Buckets, 'contents'>;
  processing: Pick<Processing, 'addition'>;
  /** Whether the uploaded bytes of a video stay in the storage once it is processed. */
  keepOriginals: boolean;
};

/**
 * Returns the row of an upload's file, and the statements that create it, for the batch that completes the
 * upload. They schedule the deletion of the first results
 * instead of that of the objects, insert the file's row and job, and count the file in its
 * bucket. The batch throws conflict, banned, and what the upload says where the deletion has started.
 */
export function fileFromUpload(
  { database, clock, buckets, processing, keepOriginals }: Deps,
  upload: CompleteUpload,
): { row: MediaFileRow; statements: Statement[] } {
  const { fileId, bucket, size, prefix, expired } = upload;
  const { db } = database;
  const now = clock();
  const resultPrefix = attemptPrefix(rootOf(prefix), bucket.id, fileId, newId(now));
  const row = newFileRow(upload);
  const content = { bytes: size, fileId, createdAt: row.created_at };
  const statements = [
    // The first attempt at processing has nothing to write before it stores its results.
    redirection(db, { from: prefix, to: resultPrefix, notBefore: now + RESULTS_TTL_MS }, expired),
    ...buckets.contents.uploadAdditions(bucket, content),
    ...fileInsertions(db, row, { blob: newBlobRow(upload) }),
    processing.addition(fileId, processingJobOf(upload, { keepOriginals, resultPrefix })),
  ];
  return { row, statements };
}

/**
 * Returns the job that processes an upload. An original is kept where an image becomes a WebP,
 * which is lossy, and for a video where the server is configured to keep it.
 */
function processingJobOf(
  { bucket, prefix, name, content }: CompleteUpload,
  { keepOriginals, resultPrefix }: { keepOriginals: boolean; resultPrefix: string },
): ProcessingJob {
  const owner = { bucketId: bucket.id, userId: bucket.user_id };
  const common = { ...owner, sourcePrefix: prefix, resultPrefix };
  if (content.type === 'image') {
    const { key: source, webp } = content;
    const payload = { ...common, keepSource: webp, source, baseName: slugOf(name, 'image'), webp };
    return { kind: 'image', payload };
  }
  const { type: kind, keys: sources, ...video } = content;
  return { kind, payload: { ...common, keepSource: keepOriginals, sources, ...video } };
}

/** Returns the row of the uploaded bytes. */
const newBlobRow = ({ fileId, bucket, prefix, content, size }: CompleteUpload): BlobRow => ({
  id: fileId,
  bucket_id: bucket.id,
  prefix,
  object_key: content.type === 'image' ? content.key : null,
  size,
  refs: 1,
  md5: null,
  created_at: timeOf(fileId),
});

/** Returns the rows of a file that waits to be processed. */
function newFileRow(upload: CompleteUpload): MediaFileRow {
  return {
    id: upload.fileId,
    bucket_id: upload.bucket.id,
    name: upload.name,
    path: pathInFolder(upload.folder, upload.name),
    content_type: uploadedContentType(upload.name, upload.content.type),
    size: upload.size,
    file_type: upload.content.type,
    access: upload.access,
    ...NO_MEDIA,
    status: 'processing',
    blob_id: upload.fileId,
    sha256: null,
    stored_bytes: upload.size,
    superseded_at: null,
    expires_at: null,
    metadata: null,
    created_at: timeOf(upload.fileId),
  };
}
