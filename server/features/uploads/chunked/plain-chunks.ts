import { requireAllowedType } from '../../buckets/service.ts';
import { keptName } from '../../files/service.ts';
import type { Caller } from '../../tokens/guard.ts';
import { placeOf } from '../parsing/destination.ts';
import { plainTypeOf } from '../parsing/sniff.ts';
import { whileKeptConnected } from '../receiving.ts';
import { requireFreePath, uploadExpired } from '../sessions/complete-upload.ts';
import { parseMetadata } from '../sessions/description.ts';
import { discardIfRefused } from '../sessions/discard-upload.ts';
import { finishPlain } from '../sessions/finish-plain.ts';
import { listParts } from '../sessions/parts-store.ts';
import * as store from '../sessions/store.ts';
import { headOf } from '../sessions/stored-parts.ts';
import type { UploadSessionRow } from '../tables.ts';
import { type ChunkResult, completed } from './chunks.ts';
import type { StoreDeps } from './store-part.ts';

/** Another request has created the file. */
const FINISHED = new Error('The upload is finished.');

/** Creates the files of videos in chunks that are stored as they are. */
export class PlainChunks {
  /** The uploads whose chunks are being joined: each repeated request would store all of their bytes once more. */
  private readonly running = new Map<string, Promise<ChunkResult>>();

  /**
   * Joins the chunks of an upload, all of which have arrived, and returns its file, unless another request has done so.
   * A request that comes meanwhile gets the same result. Throws path-taken, other-version, type-refused, bucket-full,
   * and gone where the upload has expired.
   */
  finish(deps: StoreDeps, caller: Caller, uploadId: string): Promise<ChunkResult> {
    // A large video takes long to be joined, and its client hears nothing meanwhile.
    return whileKeptConnected(caller, () => this.join(deps, caller, uploadId));
  }

  private join(deps: StoreDeps, caller: Caller, uploadId: string): Promise<ChunkResult> {
    const running = this.running.get(uploadId);
    if (running) return running;
    const joining = joinChunks(deps, caller, uploadId).finally(() => this.running.delete(uploadId));
    this.running.set(uploadId, joining);
    return joining;
  }
}

async function joinChunks(deps: StoreDeps, caller: Caller, uploadId: string): Promise<ChunkResult> {
  const upload = await store.findUpload(deps.database.db, uploadId);
  if (!upload || upload.expires_at <= deps.clock()) throw uploadExpired();
  if (!upload.file_id) await createFile(deps, caller, upload);
  const finished = await store.findUpload(deps.database.db, uploadId);
  if (!finished?.file_id) throw uploadExpired();
  return completed(deps, finished.file_id, finished.total_parts ?? 1);
}

async function createFile(
  deps: StoreDeps,
  caller: Caller,
  upload: UploadSessionRow,
): Promise<void> {
  const { database, objects, files } = deps;
  const about = parseMetadata(JSON.parse(upload.metadata));
  const { name } = placeOf(about.destination, keptName(about.fileName, 'file'));
  const parts = await listParts(database.db, upload.id);
  const contentType = await plainTypeOf(name, await headOf(objects, parts));
  const finishing = { expiresAt: upload.expires_at, onFinished: () => FINISHED };
  try {
    await discardIfRefused(deps, upload, async () => {
      requireAllowedType(caller.bucket, contentType);
      await requireFreePath(files, upload.bucket_id, about, 'file');
      const content = { parts, contentType, hasher: null };
      await finishPlain(deps, upload, caller, content, finishing);
    });
  } catch (error) {
    // The file of another process may be what is at the path.
    if (error === FINISHED || (await store.findUpload(database.db, upload.id))?.file_id) return;
    throw error;
  }
}
