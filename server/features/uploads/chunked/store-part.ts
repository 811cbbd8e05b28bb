import { IMAGE_MAX_BYTES, VIDEO_CHUNK_BYTES } from '../../../contract/limits.ts';
import { badRequest, invalid, unsupportedType } from '../../../errors.ts';
import { newId } from '../../../platform/ids.ts';
import type { ObjectStore } from '../../../platform/storage/port.ts';
import { type Bucket, requireAllowedType } from '../../buckets/service.ts';
import { keptName } from '../../files/service.ts';
import type { FilePart } from '../parsing/multipart.ts';
import { looksLikePixels, peekStream, SNIFF_BYTES } from '../parsing/sniff.ts';
import { requireVideo } from '../parsing/type-errors.ts';
import { discardRefused } from '../sessions/discard-upload.ts';
import { hashBody, type PartContent } from '../sessions/part-content.ts';
import { reservedBody } from '../sessions/reserve-arriving.ts';
import type { UploadSessionRow } from '../tables.ts';
import type { ChunkFields } from './chunk-fields.ts';
import { type ChunkDeps, checkChunkSize } from './chunks.ts';

export type StoreDeps = ChunkDeps & { objects: ObjectStore };

/**
 * Stores the thumbnail of a video beside its first chunk, and returns its object key. Throws AppError.
 * @param options.length the bytes of the form; null where the client does not say
 */
export async function storeThumbnail(
  { objects, buckets, clock }: StoreDeps,
  upload: UploadSessionRow,
  { number, total }: ChunkFields,
  part: FilePart,
  { length, owner }: { length: number | null; owner: string },
): Promise<string> {
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
  const key = `${prefix}thumbnail.${newId(clock())}`;
  await objects.put(key, counted, { maxBytes, owner });
  return key;
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
  const { objects, clock } = deps;
  const hashed = hashBody(part.body);
  const { head, body } = await peekStream(hashed.body, SNIFF_BYTES);
  if (number === 0 && head.byteLength > 0) await requireAccepted(deps, bucket, upload, head);
  // Each attempt has a key of its own, so that two requests with the same chunk never mix.
  const key = `${upload.prefix}${number}.${newId(clock())}`;
  const { size } = await objects.put(key, body, {
    maxBytes: VIDEO_CHUNK_BYTES,
    owner: bucket.user_id,
  });
  const mistake = checkChunkSize(size, number, total);
  if (!mistake) {
    return { key, size, sha256: hashed.sha256(), fileName: keptName(part.fileName, 'video') };
  }
  await objects.delete(key);
  throw invalid(mistake, 'chunk-size');
}

/** Throws where a chunk does not begin a video that the bucket accepts. */
async function requireAccepted(
  deps: StoreDeps,
  bucket: Bucket,
  upload: UploadSessionRow,
  head: Uint8Array,
): Promise<void> {
  const contentType = await requireVideo(head, bucket.id);
  try {
    requireAllowedType(bucket, contentType);
  } catch (error) {
    await discardRefused(deps, upload, error);
    throw error;
  }
}
