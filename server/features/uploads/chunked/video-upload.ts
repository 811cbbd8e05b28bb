import { IMAGE_MAX_BYTES, VIDEO_CHUNK_BYTES } from '../../../contract/limits.ts';
import { badRequest, invalid, isUnavailable, tooLarge, unsupportedType } from '../../../errors.ts';
import { newId } from '../../../platform/ids.ts';
import type { ObjectStore } from '../../../platform/storage/port.ts';
import type { Bucket } from '../../buckets/service.ts';
import { keptName } from '../../files/service.ts';
import type { Caller } from '../../tokens/guard.ts';
import {
  type FormFields,
  parseAccess,
  parseClientId,
  parseInteger,
  parseResolutions,
  parseYes,
} from '../parsing/form-fields.ts';
import { contentLength, type FilePart, readMultipart } from '../parsing/multipart.ts';
import {
  looksLikePixels,
  looksLikeVideo,
  notAVideo,
  peekStream,
  SNIFF_BYTES,
} from '../parsing/sniff.ts';
import type { UploadRow } from '../tables.ts';
import type { ChunkAttempts } from './chunk-attempts.ts';
import {
  abandonUpload,
  type ChunkResult,
  type ChunkServices,
  checkChunkSize,
  earlierResult,
  openUpload,
  recordChunk,
} from './chunks.ts';

type Services = ChunkServices & {
  objects: ObjectStore;
  attempts: ChunkAttempts;
  maxVideoBytes: number;
};

/**
 * Reads the form of one chunk: the fields, an optional `thumbnail` with the first chunk, then
 * `file`. Chunks may arrive in any order and repeatedly. Throws AppError, and then the chunk does
 * not count.
 */
export async function uploadVideoChunk(
  services: Services,
  caller: Caller,
  request: Request,
): Promise<ChunkResult> {
  const state: {
    thumbnail: string | null;
    result?: ChunkResult;
    createdUpload?: UploadRow;
    endAttempt?: () => void;
  } = { thumbnail: null };
  const onFile = async (part: FilePart) => {
    if (state.result) throw badRequest('Send one chunk per request, with the thumbnail before it.');
    const chunk = readFields(part.fields, services.maxVideoBytes);
    const owner = {
      bucketId: caller.bucket.id,
      uploader: caller.uploader,
      clientId: chunk.clientId,
    };
    const { upload, fresh } = await openUpload(services, owner, caller.bucket, chunk.total);
    if (fresh) state.createdUpload = upload;
    const earlier = await earlierResult(services, upload, chunk.number);
    if (!earlier) state.endAttempt ??= services.attempts.start(upload.id, chunk.number);
    if (part.field === 'thumbnail') {
      if (state.thumbnail) throw badRequest('Send one thumbnail.');
      // Nothing of a repeated chunk is stored: the file would own it, and nobody would pay for it.
      if (!earlier) {
        const maxBytes = Math.min(contentLength(request) ?? IMAGE_MAX_BYTES, IMAGE_MAX_BYTES);
        const limits = { maxBytes, owner: caller.bucket.user_id };
        state.thumbnail = await storeThumbnail(services, upload, chunk.number, part, limits);
      }
    } else if (part.field === 'file') {
      // The same chunk may have arrived in another request since this one's thumbnail was stored.
      if (earlier && state.thumbnail) await services.objects.delete(state.thumbnail);
      state.result =
        earlier ??
        (await storeChunk(services, caller.bucket, upload, chunk, part, state.thumbnail));
    } else throw badRequest('Send the chunk in the file field.');
  };
  try {
    const maxBytes = VIDEO_CHUNK_BYTES + IMAGE_MAX_BYTES;
    await readMultipart(request, { maxBytes, caller, onFile });
    if (!state.result) throw badRequest('The video file is required.', 'no-file');
    return state.result;
  } catch (error) {
    if (state.thumbnail && !isUnavailable(error)) await services.objects.delete(state.thumbnail);
    if (state.createdUpload) await abandonUpload(services, state.createdUpload);
    throw error;
  } finally {
    state.endAttempt?.();
  }
}

type Chunk = ReturnType<typeof readFields>;

function readFields(fields: FormFields, maxVideoBytes: number) {
  const maxChunks = Math.ceil(maxVideoBytes / VIDEO_CHUNK_BYTES);
  const total = parseInteger(fields, 'total_chunks', 1, 999_999_999);
  if (total > maxChunks) throw tooLarge(`A video can have at most ${maxVideoBytes} bytes.`);
  return {
    total,
    number: parseInteger(fields, 'chunk_number', 0, total - 1),
    clientId: parseClientId(fields),
    access: parseAccess(fields),
    resolutions: parseResolutions(fields),
    timelinePreview: parseYes(fields, 'timeline_preview'),
  };
}

async function storeThumbnail(
  { objects, buckets }: Services,
  upload: UploadRow,
  chunkNumber: number,
  part: FilePart,
  { maxBytes, owner }: { maxBytes: number; owner: string },
): Promise<string> {
  if (chunkNumber !== 0) throw badRequest('Send the thumbnail with the first chunk.');
  const { head, body } = await peekStream(part.body, SNIFF_BYTES);
  // Drawing an SVG can take longer than the video, and no camera or editor makes one of a frame.
  if (!(await looksLikePixels(head))) {
    throw unsupportedType('The thumbnail is not a JPEG, PNG, WebP or GIF image.');
  }
  const { prefix, total_chunks } = upload;
  await buckets.quotas.extend(prefix, total_chunks * VIDEO_CHUNK_BYTES + maxBytes);
  const key = `${upload.prefix}thumbnail.${newId(Date.now())}`;
  await objects.put(key, body, { maxBytes: IMAGE_MAX_BYTES, owner });
  return key;
}

async function storeChunk(
  services: Services,
  bucket: Bucket,
  upload: UploadRow,
  chunk: Chunk,
  part: FilePart,
  thumbnail: string | null,
): Promise<ChunkResult> {
  const { objects, clock } = services;
  const first = chunk.number === 0;
  const { head, body } = await peekStream(part.body, SNIFF_BYTES);
  if (first && head.byteLength > 0 && !(await looksLikeVideo(head))) {
    throw await notAVideo(head, bucket.id);
  }
  // Each attempt has a key of its own, so that two requests with the same chunk never mix.
  const key = `${upload.prefix}${chunk.number}.${newId(clock())}`;
  const { size } = await objects.put(key, body, {
    maxBytes: VIDEO_CHUNK_BYTES,
    owner: bucket.user_id,
  });
  try {
    const mistake = checkChunkSize(size, chunk.number, chunk.total);
    if (mistake) throw invalid(mistake, 'chunk-size');
    const { result, isStored } = await recordChunk(services, bucket, upload, {
      number: chunk.number,
      size,
      key,
      description: first
        ? {
            name: keptName(part.fileName, 'video'),
            access: chunk.access,
            resolutions: chunk.resolutions,
            timelinePreview: chunk.timelinePreview,
            thumbnail,
          }
        : null,
    });
    if (!isStored) {
      await objects.delete(key);
      if (thumbnail) await objects.delete(thumbnail);
    }
    return result;
  } catch (error) {
    // With the database unavailable, the chunk may count nevertheless: the pending delete then
    // decides.
    if (!isUnavailable(error)) await objects.delete(key);
    throw error;
  }
}
