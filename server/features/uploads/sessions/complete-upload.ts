import { gone } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Statement } from '../../../platform/db/batch.ts';
import type { Database } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import { actorOf } from '../../access/principal.ts';
import { type CompleteUpload, type Files, keptName } from '../../files/service.ts';
import type { Caller } from '../../tokens/guard.ts';
import { placeOf } from '../parsing/destination.ts';
import type { UploadSessionRow } from '../tables.ts';
import { parseMetadata, type UploadDescription } from './description.ts';
import * as store from './store.ts';

/** All bytes of an upload: an image in one object, or a video in several. */
type StoredMedia = { size: number } & (
  | { type: 'image'; key: string }
  | { type: 'video'; keys: string[] }
);

export const uploadExpired = () => gone('The upload has expired. Start over.');

/**
 * Returns what a complete upload becomes a file of, and the statement that says so, which throws what `onFinished`
 * returns where it has become one already.
 * @param options.expiresAt until when the upload tells its file
 */
export function completeUpload(
  { database, clock }: { database: Database; clock: Clock },
  upload: Pick<UploadSessionRow, 'id' | 'prefix' | 'metadata' | 'thumbnail'>,
  caller: Pick<Caller, 'bucket' | 'principal'>,
  { size, ...stored }: StoredMedia,
  { expiresAt, onFinished }: { expiresAt: number; onFinished: () => unknown },
): { complete: CompleteUpload; completion: Statement } {
  const { id, prefix, thumbnail } = upload;
  const about = parseMetadata(JSON.parse(upload.metadata));
  const fileId = newId(clock());
  const bytes = { fileId, prefix, size, thumbnail, ...stored };
  const complete = { ...toCompleteUpload(about, caller, bytes), expired: uploadExpired };
  const done = { fileId, expiresAt };
  return { complete, completion: store.completion(database.db, id, done, onFinished) };
}

/** Returns what the stored bytes of an upload become a file of. */
export function toCompleteUpload(
  { fileName, access, webp, resolutions, timelinePreview, ...about }: UploadDescription,
  caller: Pick<Caller, 'bucket' | 'principal'>,
  {
    fileId,
    prefix,
    size,
    thumbnail,
    ...stored
  }: StoredMedia & Pick<CompleteUpload, 'fileId' | 'prefix'> & { thumbnail: string | null },
): Omit<CompleteUpload, 'expired'> {
  const { preconditions, destination } = about;
  return {
    ...{ fileId, size, access, prefix, preconditions },
    ...placeOf(destination, keptName(fileName, stored.type)),
    ...{ onConflict: destination.onConflict, bucket: caller.bucket },
    actor: actorOf(caller.principal),
    content:
      stored.type === 'image'
        ? { ...stored, webp, isOptimized: about.isOptimized }
        : { ...stored, resolutions, thumbnail, timelinePreview },
  };
}

/**
 * Throws where the path of an upload is taken, before its bytes are sent, or read and joined: a client that asks again and
 * again for a refused upload would have all of them copied each time.
 */
export async function requireFreePath(
  files: Pick<Files, 'requireFree'>,
  bucketId: string,
  about: Pick<UploadDescription, 'destination' | 'fileName' | 'preconditions'>,
  type: Parameters<typeof keptName>[1],
): Promise<void> {
  const { destination, fileName, preconditions } = about;
  const { path } = placeOf(destination, keptName(fileName, type));
  await files.requireFree(bucketId, { ...destination, preconditions, path });
}
