import { VIDEO_CHUNK_BYTES } from '../../../contract/limits.ts';
import { conflict } from '../../../errors.ts';
import { newId } from '../../../platform/ids.ts';
import type { Bucket } from '../../buckets/service.ts';
import type { Caller } from '../../tokens/guard.ts';
import { createUpload } from '../sessions/create-upload.ts';
import { clientIdTaken } from '../sessions/earlier-upload.ts';
import * as store from '../sessions/store.ts';
import type { UploadSessionRow } from '../tables.ts';
import type { ChunkDeps } from './chunks.ts';

/** Another first chunk has inserted the upload. */
const TAKEN = new Error('The upload exists.');

/** An upload of which a chunk is sent. */
export type OpenUpload = {
  upload: UploadSessionRow;
  /** Whether this request has inserted it. */
  isNew: boolean;
};

/**
 * Returns the open upload of a client, and inserts it for the first chunk. Each request calls it once.
 * Throws conflict where the number of chunks is another one than before, storage-full, quota-exceeded, too-large, and
 * bucket-full.
 */
export async function openUpload(
  deps: ChunkDeps,
  { bucket, uploader }: Caller,
  clientId: string,
  totalChunks: number,
): Promise<OpenUpload> {
  const owner = { bucketId: bucket.id, uploader, clientId };
  const opened =
    (await joinUpload(deps, owner)) ?? (await insertUpload(deps, bucket, owner, totalChunks));
  if (!opened) throw conflict('The upload has changed in the meantime. Try again.');
  const { protocol, total_parts } = opened.upload;
  if (protocol !== 'chunked') throw clientIdTaken();
  if (total_parts !== totalChunks) {
    throw conflict(
      `This upload has ${total_parts} chunks, not ${totalChunks}. Use a new client_id for each video.`,
    );
  }
  return opened;
}

/** Returns an upload that another request has inserted, which that one can't abandon any more. */
async function joinUpload(
  { database: { db }, clock }: ChunkDeps,
  owner: store.UploadOwner,
): Promise<OpenUpload | undefined> {
  const found = await store.findClientUpload(db, owner, clock());
  const upload = found?.touched_at === 0 ? await store.touchUpload(db, found.id, clock()) : found;
  return upload && { upload, isNew: false };
}

/** Inserts an upload, or joins the one that another first chunk has inserted at the same time. */
async function insertUpload(
  deps: ChunkDeps,
  bucket: Bucket,
  owner: store.UploadOwner,
  totalChunks: number,
): Promise<OpenUpload | undefined> {
  const id = newId(deps.clock());
  const bytes = totalChunks * VIDEO_CHUNK_BYTES;
  // Only the last chunk can be shorter.
  const leastBytes = bytes - VIDEO_CHUNK_BYTES + 1;
  const own = { id, protocol: 'chunked', total_parts: totalChunks, bytes, leastBytes } as const;
  try {
    return { upload: await createUpload(deps, bucket, owner, own, () => TAKEN), isNew: true };
  } catch (error) {
    if (error !== TAKEN) throw error;
    return joinUpload(deps, owner);
  }
}
