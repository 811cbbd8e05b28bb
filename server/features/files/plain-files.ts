import type { Access, FileType } from '../../contract/wire.ts';
import type { AppError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { runStatements, type Statement } from '../../platform/db/batch.ts';
import type { Database, Executor } from '../../platform/db/port.ts';
import { timeOf } from '../../platform/ids.ts';
import { cancellation } from '../../platform/storage/pending-deletes-store.ts';
import type { Bucket, Buckets } from '../buckets/service.ts';
import { type FileWithRegion, fileById, fileInsertions, NO_MEDIA } from './store.ts';
import type { BlobRow, MediaFileRow } from './tables.ts';

/** A file that is delivered as it was uploaded, in one object below `prefix`, whose deletion is pending. */
export type PlainUpload = {
  /** The id that the file gets. */
  fileId: string;
  bucket: Bucket;
  name: string;
  /** Where the file is in its bucket, if that is free. */
  path: string;
  size: number;
  access: Access;
  fileType: Extract<FileType, 'audio' | 'file'>;
  contentType: string;
  prefix: string;
  key: string;
  /** The hashes of the bytes in hex. */
  sha256: string;
  md5: string;
  /** Returns what to throw where the deletion has started. */
  expired: () => AppError;
};

type Deps = {
  database: Database;
  clock: Clock;
  buckets: Pick<Buckets, 'contents'>;
  /** Returns the statements that tell the bucket's webhook of a file. */
  announcements: (db: Executor, type: 'file.success', file: FileWithRegion) => Promise<Statement[]>;
};

/**
 * Creates a file that is not processed, and returns its row. Throws conflict, banned, and what the upload says
 * where its deletion has started.
 */
export async function createPlainFile(
  { database, buckets, announcements }: Deps,
  upload: PlainUpload,
): Promise<FileWithRegion> {
  const { fileId, bucket, prefix, expired, size } = upload;
  const row = newFileRow(upload);
  return database.transaction(async (tx) => {
    await runStatements(tx, [
      cancellation(tx, prefix, expired),
      ...buckets.contents.uploadAdditions(bucket, {
        bytes: size,
        fileId,
        createdAt: row.created_at,
      }),
      // The additions lock the bucket's row, so that uploads to one path don't find it free at once.
      ...fileInsertions(tx, row, { blob: newBlobRow(upload), isProcessed: false }),
    ]);
    const stored = await fileById(tx, fileId);
    if (!stored) throw new Error('A file that was inserted is not there.');
    await runStatements(tx, await announcements(tx, 'file.success', stored));
    return stored;
  });
}

const newBlobRow = ({ fileId, bucket, prefix, key, size, md5 }: PlainUpload): BlobRow => ({
  id: fileId,
  bucket_id: bucket.id,
  prefix,
  object_key: key,
  size,
  refs: 1,
  md5,
  created_at: timeOf(fileId),
});

const newFileRow = (upload: PlainUpload): MediaFileRow => ({
  id: upload.fileId,
  bucket_id: upload.bucket.id,
  name: upload.name,
  path: upload.path,
  content_type: upload.contentType,
  size: upload.size,
  file_type: upload.fileType,
  access: upload.access,
  ...NO_MEDIA,
  blob_id: upload.fileId,
  sha256: upload.sha256,
  stored_bytes: upload.size,
  superseded_at: null,
  created_at: timeOf(upload.fileId),
});
