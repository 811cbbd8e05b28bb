import { VIDEO_CHUNK_BYTES } from '../../../contract/limits.ts';
import type { FileWire } from '../../../contract/wire.ts';
import { conflict, gone } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import { runStatements } from '../../../platform/db/batch.ts';
import type { Database, Executor, Tx } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import type { RegionRouter } from '../../../platform/region-routing.ts';
import type { ObjectStore } from '../../../platform/storage/port.ts';
import type { Bucket, Buckets } from '../../buckets/service.ts';
import type { Files } from '../../files/service.ts';
import * as store from '../store.ts';
import type { UploadChunkRow, UploadRow } from '../tables.ts';

export type ChunkDeps = {
  database: Database;
  clock: Clock;
  buckets: Pick<Buckets, 'quotas'>;
  files: Files;
  regionRouter: RegionRouter;
  objects: Pick<ObjectStore, 'requireSpace'>;
};

/** What a chunk that has arrived before needs. */
type ResultDeps = Pick<ChunkDeps, 'database' | 'clock'> & { files: Pick<Files, 'find'> };

export type ChunkResult =
  | { received: number; total: number; file: null }
  | { received: number; total: number; file: FileWire };

/**
 * Returns the result for a chunk that has arrived before, or an upload that is complete; null for a
 * new chunk.
 */
export async function earlierResult(
  deps: ResultDeps,
  upload: UploadRow,
  chunkNumber: number,
): Promise<ChunkResult | null> {
  const { db } = deps.database;
  const { id, total_chunks: total } = upload;
  if (upload.file_id) return completed(deps, upload.file_id, total);
  if (!(await store.findChunk(db, id, chunkNumber))) return null;
  const received = await store.countChunks(db, id);
  if (received < total) return progress(received, total);
  // The last chunk has arrived since `upload` was read.
  const owner = {
    bucketId: upload.bucket_id,
    uploader: upload.uploader,
    clientId: upload.client_id,
  };
  const current = await store.findUpload(db, owner, deps.clock());
  if (!current?.file_id) throw expired();
  return completed(deps, current.file_id, total);
}

/** The bytes of a chunk, as far as chunks are compared by them. */
export type ChunkContent = { size: number; sha256: string };

/**
 * Throws conflict where a chunk that has arrived before had other bytes: it then belongs to another video
 * under the same client id, which would be lost if the client took the earlier result for its own.
 */
export async function requireSameChunk(
  db: Executor,
  upload: UploadRow,
  chunkNumber: number,
  content: ChunkContent,
): Promise<void> {
  const earlier = await store.findChunk(db, upload.id, chunkNumber);
  if (!earlier) throw expired();
  if (!isSameContent(earlier, content)) {
    throw conflict(
      `Chunk ${chunkNumber} differs from the one received before under this client_id. Use a new client_id for each video.`,
    );
  }
}

/** Returns whether a chunk has the bytes of an earlier one, whose hash a version before 0037 did not store. */
export const isSameContent = (earlier: UploadChunkRow, { size, sha256 }: ChunkContent): boolean =>
  earlier.size === size && (earlier.sha256 ?? sha256) === sha256;

const expired = () => gone('The upload has expired. Start over.');

const progress = (received: number, total: number): ChunkResult => ({
  received,
  total,
  file: null,
});

async function completed(deps: ResultDeps, fileId: string, total: number): Promise<ChunkResult> {
  return { received: total, total, file: await fileOfUpload(deps, fileId) };
}

/** Returns the file that an upload has become. Throws gone where it has been deleted since. */
export async function fileOfUpload(
  { files }: Pick<ResultDeps, 'files'>,
  fileId: string,
): Promise<FileWire> {
  const file = await files.find(fileId);
  if (!file) throw gone('The file of this upload has been deleted.');
  return file;
}

/**
 * Counts a chunk whose bytes are stored. The last chunk creates the file and its job in the same
 * transaction. `isStored` is false where the same chunk has arrived in another request. Throws conflict where
 * that one had other bytes.
 */
export async function recordChunk(
  deps: ChunkDeps,
  bucket: Bucket,
  upload: UploadRow,
  chunk: ChunkContent & {
    number: number;
    key: string;
    description: store.VideoDescription | null;
  },
): Promise<{ result: ChunkResult; isStored: boolean }> {
  const { database, clock, files } = deps;
  const outcome = await database.transaction(async (tx) => {
    const current = await store.touchUpload(tx, upload.id, clock());
    if (!current) throw expired();
    if (current.file_id) {
      await requireSameChunk(tx, upload, chunk.number, chunk);
      return { fileId: current.file_id, isStored: false };
    }
    const isStored = await store.insertChunk(tx, {
      upload_id: upload.id,
      number: chunk.number,
      size: chunk.size,
      object_key: chunk.key,
      sha256: chunk.sha256,
    });
    if (!isStored) await requireSameChunk(tx, upload, chunk.number, chunk);
    if (isStored && chunk.description) await store.describeUpload(tx, upload.id, chunk.description);
    const received = await store.countChunks(tx, upload.id);
    if (received < current.total_chunks) return { received, isStored };
    return { file: await complete(deps, tx, bucket, current, chunk.description), isStored };
  });
  if (outcome.file) files.announceCreated(outcome.file, bucket);
  const total = upload.total_chunks;
  const { isStored } = outcome;
  if (outcome.file) return { isStored, result: { received: total, total, file: outcome.file } };
  if (outcome.fileId) return { isStored, result: await completed(deps, outcome.fileId, total) };
  return { isStored, result: progress(outcome.received ?? 0, total) };
}

async function complete(
  { clock, files }: ChunkDeps,
  tx: Tx,
  bucket: Bucket,
  upload: UploadRow,
  description: store.VideoDescription | null,
): Promise<FileWire> {
  const { name, access, ...video } = description ?? store.descriptionOf(upload);
  const chunks = await store.listChunks(tx, upload.id);
  const size = chunks.reduce((sum, chunk) => sum + chunk.size, 0);
  const content = {
    type: 'video',
    keys: chunks.map((chunk) => chunk.object_key),
    ...video,
  } as const;
  const fileId = newId(clock());
  await store.completeUpload(tx, upload.id, fileId);
  const { prefix } = upload;
  const complete = { fileId, bucket, name, size, access, prefix, content, expired };
  const { file, statements } = files.fromUpload(complete);
  await runStatements(tx, statements);
  return file;
}

/**
 * Returns what is wrong with the size of a chunk, of which only the last may be shorter; null where
 * nothing is.
 */
export function checkChunkSize(size: number, number: number, total: number): string | null {
  if (number < total - 1 && size !== VIDEO_CHUNK_BYTES) {
    return `Every chunk except the last must have exactly ${VIDEO_CHUNK_BYTES} bytes; chunk ${number} has ${size}.`;
  }
  if (size > 0) return null;
  return total === 1 ? 'The file is empty.' : 'The chunk is empty.';
}
