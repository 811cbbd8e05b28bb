import { VIDEO_CHUNK_BYTES } from '../../../contract/limits.ts';
import type { FileWire } from '../../../contract/wire.ts';
import { conflict } from '../../../errors.ts';
import { runStatements } from '../../../platform/db/batch.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import { cancellation } from '../../../platform/storage/pending-deletes-store.ts';
import type { Files } from '../../files/service.ts';
import type { Caller } from '../../tokens/guard.ts';
import { completeUpload, uploadExpired } from '../sessions/complete-upload.ts';
import type { UploadDeps } from '../sessions/create-upload.ts';
import { parseMetadata } from '../sessions/description.ts';
import { fileOfUpload } from '../sessions/earlier-upload.ts';
import { isSameContent, newPart, type PartContent } from '../sessions/part-content.ts';
import * as parts from '../sessions/parts-store.ts';
import * as store from '../sessions/store.ts';
import type { UploadSessionRow } from '../tables.ts';

export type ChunkDeps = UploadDeps & { files: Files };

/** What a chunk that has arrived before needs. */
type ResultDeps = Pick<ChunkDeps, 'database' | 'clock'> & { files: Pick<Files, 'find'> };

/** How many chunks have arrived, and the file that all of them have become; null before. */
export type ChunkResult = { received: number; total: number; file: FileWire | null };

type ChunkNumber = { number: number; total: number };

/**
 * Returns the result for a chunk that has arrived before, or an upload that is complete; null for a
 * new chunk.
 */
export async function earlierResult(
  deps: ResultDeps,
  upload: UploadSessionRow,
  { number, total }: ChunkNumber,
): Promise<ChunkResult | null> {
  const { db } = deps.database;
  if (upload.file_id) return completed(deps, upload.file_id, total);
  if (!(await parts.findPart(db, upload.id, number))) return null;
  const received = await parts.countParts(db, upload.id);
  if (received < total) return { received, total, file: null };
  // The last chunk has arrived since `upload` was read.
  const current = await store.findUpload(db, upload.id);
  if (!current || current.expires_at <= deps.clock()) throw uploadExpired();
  // A video that is not processed becomes a file after its last chunk was counted.
  if (!current.file_id) return { received, total, file: null };
  return completed(deps, current.file_id, total);
}

/**
 * Throws conflict where a chunk that has arrived before had other bytes: it then belongs to another video
 * under the same client id, which would be lost if the client took the earlier result for its own.
 */
export async function requireSameChunk(
  db: Executor,
  uploadId: string,
  chunkNumber: number,
  content: PartContent,
): Promise<void> {
  const earlier = await parts.findPart(db, uploadId, chunkNumber);
  if (!earlier) throw uploadExpired();
  if (!isSameContent(earlier, content)) {
    throw conflict(
      `Chunk ${chunkNumber} differs from the one received before under this client_id. Use a new client_id for each video.`,
    );
  }
}

/** Returns the result of an upload that has become a file. Throws gone where that has been deleted since. */
export const completed = async (
  deps: ResultDeps,
  fileId: string,
  total: number,
): Promise<ChunkResult> => ({ received: total, total, file: await fileOfUpload(deps, fileId) });

/** A chunk to count. */
type WholeChunk = ChunkNumber &
  PartContent & {
    key: string;
    /** What the first chunk says of the video; null for others. */
    description: Pick<UploadSessionRow, 'metadata' | 'thumbnail'> | null;
  };

/**
 * Counts a chunk whose bytes are stored. The last chunk creates the file and its job in the same
 * transaction, unless its bytes are to be joined first. `isStored` is false where the same chunk has arrived in another request. Throws conflict where
 * that one had other bytes.
 */
export async function recordChunk(
  deps: ChunkDeps,
  caller: Pick<Caller, 'bucket' | 'principal'>,
  uploadId: string,
  chunk: WholeChunk,
): Promise<{ result: ChunkResult; isStored: boolean }> {
  const { database, clock, files } = deps;
  const { number, total, description } = chunk;
  const { isStored, received, file, fileId } = await database.transaction(async (tx) => {
    const upload = await store.touchUpload(tx, uploadId, clock());
    if (!upload) throw uploadExpired();
    const { size, sha256, key: object_key } = chunk;
    const place = { upload_id: uploadId, position: number };
    const part = newPart({ ...place, size, object_key, sha256 });
    const isStored = !upload.file_id && (await parts.insertPart(tx, part));
    if (!isStored) await requireSameChunk(tx, uploadId, number, chunk);
    if (upload.file_id) return { isStored, received: total, fileId: upload.file_id };
    if (isStored) await keepObjects(tx, [object_key, description?.thumbnail]);
    if (isStored && description) await store.describeUpload(tx, uploadId, description);
    const received = await parts.countParts(tx, uploadId);
    const whole = { ...upload, ...description };
    const { isOptimized } = parseMetadata(JSON.parse(whole.metadata));
    if (received < total || !isOptimized) return { isStored, received };
    const file = await createFile(deps, tx, caller, whole);
    return { isStored, received, file };
  });
  if (file) files.announceCreated(file, caller.bucket);
  if (fileId) return { isStored, result: await completed(deps, fileId, total) };
  return { isStored, result: { received, total, file: file ?? null } };
}

/** Cancels the deletion of the objects of a chunk that counts. Throws gone where that has started. */
const keepObjects = (tx: Tx, keys: (string | null | undefined)[]) =>
  runStatements(
    tx,
    keys.flatMap((key) => (key ? [cancellation(tx, key, uploadExpired)] : [])),
  );

async function createFile(
  deps: ChunkDeps,
  tx: Tx,
  caller: Pick<Caller, 'bucket' | 'principal'>,
  upload: UploadSessionRow,
): Promise<FileWire> {
  const chunks = await parts.listParts(tx, upload.id);
  const size = chunks.reduce((sum, chunk) => sum + chunk.size, 0);
  const stored = { type: 'video', size, keys: chunks.map((chunk) => chunk.object_key) } as const;
  const { complete, completion } = completeUpload(deps, upload, caller, stored, {
    expiresAt: upload.expires_at,
    onFinished: uploadExpired,
  });
  return deps.files.fromUploadIn(tx, complete, [completion]);
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
