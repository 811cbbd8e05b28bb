import { UPLOAD_TTL_MS } from '../../contract/limits.ts';
import type { FileWire } from '../../contract/wire.ts';
import { conflict } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Executor, Tx } from '../../platform/db/port.ts';
import { newId } from '../../platform/ids.ts';
import type { Files } from '../files/service.ts';
import { type ChunkContent, fileOfUpload, isSameContent } from './chunked/chunks.ts';
import { hashChunk } from './chunked/hash-chunk.ts';
import * as store from './store.ts';
import type { UploadRow } from './tables.ts';

type Deps = { database: Database; clock: Clock; files: Files };

/** An image whose bytes are stored, as a chunk of an upload that has only this one. */
type StoredImage = ChunkContent & { fileId: string; prefix: string; key: string };

/**
 * Returns the file that an image under this `client_id` has become; undefined where the id is new. Reads
 * the body only where the id is taken. Throws conflict where that image had other bytes, and gone where
 * its file has been deleted.
 */
export async function findEarlierImage(
  deps: Deps,
  owner: store.UploadOwner,
  body: AsyncIterable<Uint8Array>,
): Promise<FileWire | undefined> {
  const { db } = deps.database;
  const upload = await store.findUpload(db, owner, deps.clock());
  if (!upload) return undefined;
  return fileOfUpload(deps, await requireSameImage(db, upload, await hashChunk(body)));
}

/**
 * Records that the `client_id` belongs to an image, for as long as those of videos do. Returns the id of
 * the file where another request has stored the same image at the same time, and null otherwise. Throws
 * conflict where that one had other bytes.
 */
export async function claimClientId(
  tx: Tx,
  owner: store.UploadOwner,
  { fileId, prefix, key, size, sha256 }: StoredImage,
  now: number,
): Promise<string | null> {
  const inserted = await store.insertUpload(tx, {
    id: newId(now),
    bucket_id: owner.bucketId,
    uploader: owner.uploader,
    client_id: owner.clientId,
    prefix,
    total_chunks: 1,
    name: '',
    access: 'private',
    resolution: '',
    timeline_preview: 0,
    thumbnail: null,
    file_id: fileId,
    touched_at: now,
    created_at: now,
    expires_at: now + UPLOAD_TTL_MS,
  });
  if (!inserted) {
    const other = await store.findUpload(tx, owner, now);
    if (!other) throw conflict('The upload has changed in the meantime. Try again.');
    return requireSameImage(tx, other, { size, sha256 });
  }
  const chunk = { upload_id: inserted.id, number: 0, size, object_key: key, sha256 };
  await store.insertChunk(tx, chunk);
  return null;
}

/** Returns the id of an upload's file. Throws conflict where that is a video or another image. */
async function requireSameImage(
  db: Executor,
  { id, file_id }: UploadRow,
  content: ChunkContent,
): Promise<string> {
  const earlier = file_id && (await store.findChunk(db, id, 0));
  if (file_id && earlier && isSameContent(earlier, content)) return file_id;
  throw conflict('This client_id belongs to another file. Use a new client_id for each file.');
}
