import { IMAGE_MAX_BYTES, VIDEO_CHUNK_BYTES } from '../../../contract/limits.ts';
import { AppError, badRequest, isUnavailable } from '../../../errors.ts';
import { keptName } from '../../files/service.ts';
import type { Caller } from '../../tokens/guard.ts';
import { placeOf, requireMayReplace } from '../parsing/destination.ts';
import { contentLength, type FilePart, readMultipart } from '../parsing/multipart.ts';
import { discardUpload } from '../sessions/discard-upload.ts';
import { readContent } from '../sessions/part-content.ts';
import type { ChunkAttempts } from './chunk-attempts.ts';
import { type ChunkFields, readChunkFields } from './chunk-fields.ts';
import { type ChunkResult, earlierResult, requireSameChunk } from './chunks.ts';
import { type OpenUpload, openUpload } from './open-upload.ts';
import { type StoreDeps, storeChunk, storeThumbnail } from './store-part.ts';

type Deps = StoreDeps & { attempts: ChunkAttempts; maxVideoBytes: number };

/** How far a request has got. */
type State = {
  opened?: OpenUpload;
  /** The object key of the thumbnail. */
  thumbnail: string | null;
  result?: ChunkResult;
  /** Whether something that arrived was refused. A form that is cut off says nothing about its chunk. */
  isRefused: boolean;
  endAttempt?: () => void;
};

/**
 * Reads the form of one chunk: the fields, an optional `thumbnail` with the first chunk, then
 * `file`. Chunks may arrive in any order and repeatedly. Throws AppError, conflict where the client's id
 * is that of another video, and then the chunk does not count, unless it had arrived before the form was
 * cut off.
 */
export async function uploadVideoChunk(
  deps: Deps,
  caller: Caller,
  request: Request,
): Promise<ChunkResult> {
  const state: State = { thumbnail: null, isRefused: false };
  const onFile = (part: FilePart) =>
    receivePart(deps, caller, request, part, state).catch((error) => {
      state.isRefused = error instanceof AppError && error.status < 500;
      throw error;
    });
  try {
    const maxBytes = VIDEO_CHUNK_BYTES + IMAGE_MAX_BYTES;
    await readMultipart(request, { maxBytes, caller, onFile });
    if (state.result) return state.result;
    state.isRefused = true;
    throw badRequest('The video file is required.', 'no-file');
  } catch (error) {
    await cleanUp(deps, state, error);
    throw error;
  } finally {
    state.endAttempt?.();
  }
}

async function receivePart(
  deps: Deps,
  caller: Caller,
  request: Request,
  part: FilePart,
  state: State,
): Promise<void> {
  if (state.result) throw badRequest('Send one chunk per request, with the thumbnail before it.');
  const chunk = readChunkFields(part.fields, request.headers, deps.maxVideoBytes);
  state.opened ??= await openUpload(deps, caller, chunk.clientId, chunk.total);
  const { bucket } = caller;
  const { upload } = state.opened;
  const earlier = await earlierResult(deps, upload, chunk);
  if (!earlier && chunk.number === 0) await requireDestination(deps, caller, chunk, part);
  if (!earlier) state.endAttempt ??= deps.attempts.start(upload.id, chunk.number);
  if (part.field === 'thumbnail') {
    if (state.thumbnail) throw badRequest('Send one thumbnail.');
    // Nothing of a repeated chunk is stored: the file would own it, and nobody would pay for it.
    if (!earlier) {
      const from = { length: contentLength(request), owner: bucket.user_id };
      state.thumbnail = await storeThumbnail(deps, upload, chunk, part, from);
    }
  } else if (part.field === 'file') {
    // The same chunk may have arrived in another request since this one's thumbnail was stored.
    if (earlier && state.thumbnail) await deps.objects.delete(state.thumbnail);
    if (earlier) {
      const content = await readContent(part.body);
      await requireSameChunk(deps.database.db, upload.id, chunk.number, content);
    }
    state.result =
      earlier ?? (await storeChunk(deps, caller, upload, chunk, part, state.thumbnail));
  } else throw badRequest('Send the chunk in the file field.');
}

/** Throws where a video could not get its path now, before its first chunk is stored. */
async function requireDestination(
  { files }: Deps,
  caller: Caller,
  { destination, preconditions }: ChunkFields,
  { field, fileName }: FilePart,
): Promise<void> {
  requireMayReplace(caller, destination);
  // A thumbnail may come before the video, whose name decides.
  if (field !== 'file') return;
  const { path } = placeOf(destination, keptName(fileName, 'video'));
  await files.requireFree(caller.bucket.id, { ...destination, preconditions, path });
}

/** Removes what a failed request has stored. A client whose connection was cut sends the chunk again. */
async function cleanUp(
  deps: Deps,
  { opened, thumbnail, result, isRefused }: State,
  error: unknown,
): Promise<void> {
  // A chunk that counts has taken its thumbnail along.
  if (thumbnail && !result && !isUnavailable(error)) await deps.objects.delete(thumbnail);
  if (opened?.isNew && isRefused) await discardUpload(deps, opened.upload, { isUntouched: true });
}
