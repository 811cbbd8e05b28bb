import { PAGE_SIZE } from '../../../server/contract/limits.ts';
import type { FilePageWire, FileWire } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import { ApiError } from '../../runtime/api-error.ts';

const FIRST = '0';
const MAX_PAGES = 20;

/** Returns which chunks of an upload the server has, or null if the server has no such upload. */
export const videoProgress = (bucketId: string, clientId: string) =>
  orNull(
    call('GET /files/upload/video/:bucketID/:clientID', {
      params: { bucketID: bucketId, clientID: clientId },
    }),
    404,
  );

export const removeFile = (bucketId: string, fileId: string) =>
  orNull(
    call('DELETE /files/:bucketID/:fileID', { params: { bucketID: bucketId, fileID: fileId } }),
    404,
  );

/** Processes a failed file again. Throws ApiError. */
export const processAgain = (bucketId: string, fileId: string) =>
  call('POST /files/:bucketID/:fileID/retry', { params: { bucketID: bucketId, fileID: fileId } });

/** Deletes the uploaded part of a video, or its file if the last chunk has arrived in the meantime. */
export async function removeVideo(bucketId: string, clientId: string): Promise<void> {
  const complete = await call('DELETE /files/upload/video/:bucketID/:clientID', {
    params: { bucketID: bucketId, clientID: clientId },
  }).then(
    () => false,
    (error) => {
      if (isStatus(error, 404)) return false;
      if (isStatus(error, 409)) return true;
      throw error;
    },
  );
  const fileId = complete && (await videoProgress(bucketId, clientId))?.file_id;
  if (fileId) await removeFile(bucketId, fileId);
}

const isStatus = (error: unknown, status: number) =>
  error instanceof ApiError && error.status === status;

const orNull = <Got>(work: Promise<Got>, status: number): Promise<Got | null> =>
  work.catch((error) => {
    if (isStatus(error, status)) return null;
    throw error;
  });

/** Returns the id of the file of an image, or null if the image has not arrived. */
export async function imageFile(bucketId: string, clientId: string): Promise<string | null> {
  const params = { bucketID: bucketId, clientID: clientId };
  const state = await orNull(call('GET /files/upload/image/:bucketID/:clientID', { params }), 404);
  return state?.file_id ?? null;
}

/** Deletes the file of an image if it has arrived. */
export async function removeImage(bucketId: string, clientId: string): Promise<void> {
  const fileId = await imageFile(bucketId, clientId);
  if (fileId) await removeFile(bucketId, fileId);
}

/** Lists the files of a bucket from the id `oldest` on, without any filters. Ids sort by time. */
export async function listFilesSince(bucketId: string, oldest: string): Promise<FileWire[]> {
  const files: FileWire[] = [];
  let cursor: string | null = FIRST;
  for (let page = 0; page < MAX_PAGES && cursor !== null; page += 1) {
    const query: { cursor: string; limit: number } = { cursor, limit: PAGE_SIZE };
    const { data, nextId }: FilePageWire = await call('GET /files/:bucketID', {
      params: { bucketID: bucketId },
      query,
    });
    files.push(...data.filter(({ id }) => id >= oldest));
    cursor = data.some(({ id }) => id < oldest) ? null : nextId;
  }
  return files;
}
