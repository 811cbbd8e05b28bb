import { IMAGE_MAX_BYTES, MINUTE, VIDEO_CHUNK_BYTES } from '../../../contract/limits.ts';
import { badRequest, conflict, invalid, isUnavailable, unsupportedType } from '../../../errors.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import { cancelDelete, scheduleDelete } from '../../../platform/storage/pending-deletes-store.ts';
import type { ObjectStore } from '../../../platform/storage/port.ts';
import { type Bucket, requireAllowedType } from '../../buckets/service.ts';
import { keptName } from '../../files/service.ts';
import { received } from '../form/store-plain.ts';
import { type FilePart, FORM_TIMEOUT_MS } from '../parsing/multipart.ts';
import { looksLikePixels, peekStream, SNIFF_BYTES } from '../parsing/sniff.ts';
import { requireVideo } from '../parsing/type-errors.ts';
import { uploadExpired } from '../sessions/complete-upload.ts';
import { discardIfRefused } from '../sessions/discard-upload.ts';
import type { PartContent } from '../sessions/part-content.ts';
import { reservedBody } from '../sessions/reserve-arriving.ts';
import { findUpload } from '../sessions/store.ts';
import type { UploadSessionRow } from '../tables.ts';
import type { ChunkFields } from './chunk-fields.ts';
import { type ChunkDeps, checkChunkSize } from './chunks.ts';

/** A chunk that arrives keeps the bytes of all others on a disk, also when the upload has ended and they no longer count. */
const CHECK_INTERVAL_MS = MINUTE;

export type StoreDeps = ChunkDeps & { objects: ObjectStore };

/**
 * Stores the thumbnail of a video beside its first chunk, and returns its object key. Throws AppError.
 * @param options.length the bytes of the form; null where the client does not say
 */
export async function storeThumbnail(
  deps: StoreDeps,
  upload: UploadSessionRow,
  { number, total }: ChunkFields,
  part: FilePart,
  { length, owner }: { length: number | null; owner: string },
): Promise<string> {
  const { buckets } = deps;
  if (number !== 0) throw badRequest('Send the thumbnail with the first chunk.');
  const { head, body } = await peekStream(part.body, SNIFF_BYTES);
  // Drawing an SVG can take longer than the video, and no camera or editor makes one of a frame.
  if (!(await looksLikePixels(head))) {
    throw unsupportedType('The thumbnail is not a JPEG, PNG, WebP or GIF image.');
  }
  const { prefix } = upload;
  const before = total * VIDEO_CHUNK_BYTES;
  const maxBytes = IMAGE_MAX_BYTES;
  if (length !== null) await buckets.quotas.extend(prefix, before + Math.min(length, maxBytes));
  const counted = reservedBody(buckets.quotas, prefix, body, { length, before });
  return (await putPart(deps, `${prefix}thumbnail.`, counted, { maxBytes, owner })).key;
}

type PutOptions = Parameters<ObjectStore['put']>[2];

/**
 * Stores an object under a key that begins with `start`, a new one for each attempt, so that two requests with the same
 * chunk never mix. Its deletion is pending until the chunk counts: an attempt whose process dies can store it when the
 * video is published already, with whose original it would stay. Throws what the store does.
 */
async function putPart(
  deps: StoreDeps,
  start: string,
  body: ReadableStream<Uint8Array>,
  options: PutOptions,
): Promise<{ key: string; size: number }> {
  const { objects, database, clock } = deps;
  const now = clock();
  const key = start + newId(now);
  await scheduleDelete(database.db, key, now + FORM_TIMEOUT_MS);
  try {
    return { key, ...(await objects.put(key, body, options)) };
  } catch (error) {
    if (!isUnavailable(error)) await discardPart(deps, key);
    throw error;
  }
}

/** A chunk whose bytes are stored. */
export type StoredChunk = PartContent & {
  key: string;
  /** The name of the video, as it is kept. */
  fileName: string;
};

/** Stores the bytes of a chunk, which does not count yet. Throws AppError, and then nothing of it stays stored. */
export async function storeChunk(
  deps: StoreDeps,
  bucket: Bucket,
  upload: UploadSessionRow,
  { number, total }: ChunkFields,
  part: FilePart,
): Promise<StoredChunk> {
  const { head, body } = await peekStream(part.body, SNIFF_BYTES);
  if (number === 0 && head.byteLength > 0) {
    await discardIfRefused(deps, upload, async () =>
      requireAllowedType(bucket, await requireVideo(head, bucket.id)),
    );
  }
  const start = `${upload.prefix}${number}.`;
  const slot = total > 1 ? { number, bytes: VIDEO_CHUNK_BYTES } : undefined;
  const options = { maxBytes: VIDEO_CHUNK_BYTES, owner: bucket.user_id, slot };
  const hasher = new Bun.CryptoHasher('sha256');
  const check = () => requireUnfinished(deps.database.db, upload.id);
  const hashed = received(body, hasher, deps.clock, check, CHECK_INTERVAL_MS);
  const { key, size } = await putPart(deps, start, hashed, options);
  const mistake = checkChunkSize(size, number, total);
  if (!mistake) {
    return { key, size, sha256: hasher.digest('hex'), fileName: keptName(part.fileName, 'video') };
  }
  await discardPart(deps, key);
  throw invalid(mistake, 'chunk-size');
}

/** Deletes an object that no chunk counts, and what was scheduled for it. */
export async function discardPart(
  { objects, database }: Pick<StoreDeps, 'objects' | 'database'>,
  key: string,
): Promise<void> {
  await objects.delete(key, { isUnread: true });
  await cancelDelete(database.db, key);
}

/** Throws gone where an upload has ended, and conflict where it has become a file. */
async function requireUnfinished(db: Executor, uploadId: string): Promise<void> {
  const upload = await findUpload(db, uploadId);
  if (!upload) throw uploadExpired();
  if (upload.file_id) throw conflict('Other requests have completed the upload.');
}
