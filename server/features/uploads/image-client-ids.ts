import { UPLOAD_TTL_MS } from '../../contract/limits.ts';
import type { FileWire } from '../../contract/wire.ts';
import { conflict } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Statement } from '../../platform/db/batch.ts';
import type { Database, Executor } from '../../platform/db/port.ts';
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
  const upload = await store.findUpload(deps.database.db, owner, deps.clock());
  return upload && fileOfClaim(deps, owner, await hashChunk(body));
}

/**
 * Returns the statements that record that the `client_id` belongs to an image, for as long as those of videos
 * do. They throw what `otherwise` returns where another request has taken it.
 */
export function clientIdClaim(
  db: Executor,
  owner: store.UploadOwner,
  { fileId, prefix, key, size, sha256 }: StoredImage,
  { now, otherwise }: { now: number; otherwise: () => unknown },
): Statement[] {
  const id = newId(now);
  const upload: UploadRow = {
    id,
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
  };
  const chunk = { upload_id: id, number: 0, size, object_key: key, sha256 };
  return [...store.uploadInsertions(db, upload, otherwise), store.chunkInsertion(db, chunk)];
}

/**
 * Returns the file of another request that has taken the `client_id` of an image. Throws conflict where that was
 * another image.
 */
export async function fileOfClaim(
  deps: Deps,
  owner: store.UploadOwner,
  content: ChunkContent,
): Promise<FileWire> {
  const { db } = deps.database;
  const upload = await store.findUpload(db, owner, deps.clock());
  if (!upload) throw conflict('The upload has changed in the meantime. Try again.');
  return fileOfUpload(deps, await requireSameImage(db, upload, content));
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
