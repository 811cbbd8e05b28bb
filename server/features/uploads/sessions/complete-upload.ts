import type { FileWire } from '../../../contract/wire.ts';
import { gone } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Statement } from '../../../platform/db/batch.ts';
import type { Database } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import type { Bucket } from '../../buckets/service.ts';
import { type Files, keptName } from '../../files/service.ts';
import type { UploadSessionRow } from '../tables.ts';
import { parseMetadata } from './description.ts';
import * as store from './store.ts';

/** All bytes of an upload: an image in one object, or a video in several. */
type Stored = { size: number } & (
  | { type: 'image'; key: string }
  | { type: 'video'; keys: string[] }
);

export const uploadExpired = () => gone('The upload has expired. Start over.');

/**
 * Returns the file that a complete upload becomes, and the statements that create it. They throw what
 * `onFinished` returns where it has become one already.
 * @param options.expiresAt until when the upload tells its file
 */
export function completeUpload(
  {
    database,
    clock,
    files,
  }: { database: Database; clock: Clock; files: Pick<Files, 'fromUpload'> },
  upload: Pick<UploadSessionRow, 'id' | 'prefix' | 'metadata' | 'thumbnail'>,
  bucket: Bucket,
  { size, ...stored }: Stored,
  { expiresAt, onFinished }: { expiresAt: number; onFinished: () => unknown },
): { file: FileWire; statements: Statement[] } {
  const { id, prefix, thumbnail, metadata } = upload;
  const { fileName, access, destination, webp, resolutions, timelinePreview } = parseMetadata(
    JSON.parse(metadata),
  );
  const fileId = newId(clock());
  const { file, statements } = files.fromUpload({
    ...{ fileId, bucket, folder: destination.folder, size, access, prefix, expired: uploadExpired },
    name: keptName(fileName, stored.type),
    content:
      stored.type === 'image'
        ? { ...stored, webp }
        : { ...stored, resolutions, thumbnail, timelinePreview },
  });
  const finish = store.completion(database.db, id, { fileId, expiresAt }, onFinished);
  return { file, statements: [finish, ...statements] };
}
