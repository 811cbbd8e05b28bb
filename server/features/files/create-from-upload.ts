import type { Size } from '../../contract/media.ts';
import type { Access } from '../../contract/wire.ts';
import type { AppError } from '../../errors.ts';
import type { Statement } from '../../platform/db/batch.ts';
import type { Database } from '../../platform/db/port.ts';
import { timeOf } from '../../platform/ids.ts';
import type { Bucket, Buckets } from '../buckets/service.ts';
import { uploadedContentType } from './paths/content-types.ts';
import { pathInFolder } from './paths/paths.ts';
import { fileInsertions, NO_MEDIA } from './store.ts';
import type { BlobRow, MediaFileRow } from './tables.ts';
import type { VersionHook } from './version-hook.ts';

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
  buckets: Pick<Buckets, 'contents'>;
  versions: VersionHook;
};

/**
 * Returns the row of an upload's file, and the statements that create it and count it in its bucket, for the batch
 * that completes the upload. The batch throws conflict, banned, and what the upload says where the deletion of its
 * objects has started.
 */
export function fileFromUpload(
  { database, buckets, versions }: Deps,
  upload: CompleteUpload,
): { row: MediaFileRow; statements: Statement[] } {
  const { fileId, bucket, size } = upload;
  const { db } = database;
  const row = newFileRow(upload);
  const content = { bytes: size, fileId, createdAt: row.created_at };
  const statements = [
    ...versions.onVersion(upload),
    ...buckets.contents.uploadAdditions(bucket, content),
    ...fileInsertions(db, row, { blob: newBlobRow(upload) }),
  ];
  return { row, statements };
}

/** Returns the row of the uploaded bytes. */
const newBlobRow = ({ fileId, bucket, prefix, content, size }: CompleteUpload): BlobRow => ({
  id: fileId,
  bucket_id: bucket.id,
  prefix,
  object_key: content.type === 'image' ? content.key : null,
  size,
  refs: 1,
  ...{ md5: null, etag: null, checksum: null },
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
    headers: null,
    created_at: timeOf(upload.fileId),
  };
}
