import { timeOf } from '../../platform/ids.ts';
import type { Bucket } from '../buckets/service.ts';
import type { Media } from '../media/service.ts';
import { UNREAD } from './blobs-store.ts';
import type { CompleteUpload } from './create-from-upload.ts';
import type { BlobRow, MediaFileRow } from './tables.ts';
import { newVersionId } from './versions/version-id.ts';

/** What every upload says of its file. */
type Uploaded = Pick<CompleteUpload, 'fileId' | 'name' | 'path' | 'size' | 'access' | 'prefix'> & {
  bucket: Pick<Bucket, 'id' | 'keep_versions'>;
};

type OwnColumns = Media & Pick<MediaFileRow, 'content_type' | 'file_type'> & Partial<MediaFileRow>;

/** Returns the row of an upload's file. */
export const newFileRow = (
  { fileId, bucket, name, path, size, access }: Uploaded,
  own: OwnColumns,
): MediaFileRow => ({
  ...{ id: fileId, bucket_id: bucket.id, name, path, size, access },
  ...{ blob_id: fileId, sha256: null, stored_bytes: size, superseded_at: null },
  ...{ expires_at: null, metadata: null, headers: null, tags: null },
  version_id: newVersionId(bucket, fileId),
  created_at: timeOf(fileId),
  ...own,
});

/** Returns the row of an upload's bytes, which nobody has read yet. */
export const newBlobRow = (
  { fileId, bucket, prefix, size }: Uploaded,
  own: Pick<BlobRow, 'object_key'> & Partial<BlobRow>,
): BlobRow => ({
  ...{ id: fileId, bucket_id: bucket.id, prefix, size, refs: 1 },
  ...{ md5: null, etag: null, checksum: null, parts: null, ...UNREAD },
  created_at: timeOf(fileId),
  ...own,
});
