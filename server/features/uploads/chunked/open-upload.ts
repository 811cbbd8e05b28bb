import { HOUR, UPLOAD_TTL_MS, VIDEO_CHUNK_BYTES } from '../../../contract/limits.ts';
import { conflict } from '../../../errors.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import { scheduleDelete } from '../../../platform/storage/pending-deletes-store.ts';
import type { Bucket } from '../../buckets/service.ts';
import { uploadPrefix } from '../../files/service.ts';
import * as store from '../store.ts';
import type { UploadRow } from '../tables.ts';
import type { ChunkDeps } from './chunks.ts';

/** Another first chunk has inserted the upload. */
const TAKEN = new Error('The upload exists.');

/** An upload of which a chunk is sent. */
export type OpenUpload = {
  upload: UploadRow;
  /** Whether this request has inserted it. */
  isNew: boolean;
};

/**
 * Returns the open upload of a client, and inserts it for the first chunk. Each request calls it once.
 * Throws conflict where the number of chunks is another one than before, storage-full, and
 * quota-exceeded.
 */
export async function openUpload(
  deps: ChunkDeps,
  owner: store.UploadOwner,
  bucket: Bucket,
  totalChunks: number,
): Promise<OpenUpload> {
  const { database, clock } = deps;
  const existing = await joinUpload(database.db, owner, clock());
  const opened = existing
    ? { upload: existing, isNew: false }
    : await createUpload(deps, owner, bucket, totalChunks);
  if (!opened) throw conflict('The upload has changed in the meantime. Try again.');
  const { total_chunks } = opened.upload;
  if (total_chunks !== totalChunks) {
    throw conflict(
      `This upload has ${total_chunks} chunks, not ${totalChunks}. Use a new client_id for each video.`,
    );
  }
  return opened;
}

/** Returns an upload that another request has inserted, which that one can't abandon any more. */
async function joinUpload(
  db: Executor,
  owner: store.UploadOwner,
  now: number,
): Promise<UploadRow | undefined> {
  const upload = await store.findUpload(db, owner, now);
  return upload?.touched_at === 0 ? store.touchUpload(db, upload.id, now) : upload;
}

/**
 * Inserts an upload, or returns the one that another first chunk has inserted at the same time. The
 * deletion of its objects is scheduled at once, and cancelled by the transaction that completes it.
 */
async function createUpload(
  { database, clock, objects, buckets, regionRouter }: ChunkDeps,
  owner: store.UploadOwner,
  bucket: Bucket,
  totalChunks: number,
): Promise<OpenUpload | undefined> {
  const now = clock();
  const id = newId(now);
  const prefix = uploadPrefix(regionRouter(bucket.region).root, id);
  const bytes = totalChunks * VIDEO_CHUNK_BYTES;
  const reservation = { prefix, bytes, deleteAt: now + UPLOAD_TTL_MS + HOUR };
  await objects.requireSpace(prefix, bytes);
  const upload: UploadRow = {
    id,
    bucket_id: owner.bucketId,
    uploader: owner.uploader,
    client_id: owner.clientId,
    prefix,
    total_chunks: totalChunks,
    name: '',
    access: 'private',
    resolution: '',
    timeline_preview: 0,
    thumbnail: null,
    file_id: null,
    touched_at: 0,
    created_at: now,
    expires_at: now + UPLOAD_TTL_MS,
  };
  const reserving = await buckets.quotas.reservation(bucket.user_id, reservation);
  try {
    await database.batch([
      ...reserving,
      ...store.uploadInsertions(database.db, upload, () => TAKEN),
    ]);
    return { upload, isNew: true };
  } catch (error) {
    if (error !== TAKEN) throw error;
    const other = await joinUpload(database.db, owner, now);
    return other && { upload: other, isNew: false };
  }
}

/**
 * Deletes an upload whose first chunk was refused, unless another request sends a chunk of it or has sent
 * one.
 */
export async function abandonUpload(
  { database, clock }: ChunkDeps,
  upload: UploadRow,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await store.deleteUntouchedUpload(tx, upload.id))) return;
    await scheduleDelete(tx, upload.prefix, clock());
  });
}
