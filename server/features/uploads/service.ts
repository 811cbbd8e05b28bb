import { SECOND } from '../../contract/limits.ts';
import { conflict, notFound, unavailable } from '../../errors.ts';
import { inSlices } from '../../platform/slices.ts';
import { scheduleDeletes } from '../../platform/storage/pending-deletes-store.ts';
import { MultipartUploads } from './multipart/multipart-uploads.ts';
import { discardUpload } from './sessions/discard-upload.ts';
import { listParts } from './sessions/parts-store.ts';
import * as store from './sessions/store.ts';

export { discardFailed, type OriginalDeps } from './form/store-original.ts';
export { copyPlain, type StoredPlain, storePlain } from './form/store-plain.ts';
export type { CompletedFile } from './multipart/multipart-completion.ts';
export type { MultipartUpload } from './multipart/multipart-uploads.ts';
export { readMultipart } from './parsing/multipart.ts';
export { mediaTypeOf, peekStream, plainTypeOf, SNIFF_BYTES } from './parsing/sniff.ts';
export type { UploadPartRow } from './tables.ts';

/** A restart takes about as long. */
const RETRY_AFTER_MS = 2 * SECOND;

type UploadsDeps = ConstructorParameters<typeof MultipartUploads>[0];

/** The uploads of all protocols, as far as those are alike. */
export class Uploads {
  private readonly stopper = new AbortController();
  /** Aborts when the server stops, with the error of requests that are cut short. */
  readonly stopping: AbortSignal = this.stopper.signal;

  /** The uploads in parts of S3 clients. */
  readonly multipart: MultipartUploads;

  constructor(private readonly deps: UploadsDeps) {
    this.multipart = new MultipartUploads(deps);
  }

  /**
   * Returns which chunks of an upload have arrived, so that a client sends only the others. Throws
   * not-found.
   */
  async progress(owner: store.UploadOwner) {
    const { database, clock } = this.deps;
    const upload = await store.findClientUpload(database.db, owner, clock());
    if (!upload) throw notFound('Upload');
    const parts = await listParts(database.db, upload.id);
    return {
      received: parts.map(({ position }) => position),
      total: upload.total_parts ?? 1,
      file_id: upload.file_id,
      expires: new Date(upload.expires_at).toISOString(),
    };
  }

  /**
   * Cancels an upload and deletes its chunks. Throws not-found, and conflict once it is complete.
   */
  async cancel(owner: store.UploadOwner): Promise<void> {
    const { database, clock } = this.deps;
    const upload = await store.findClientUpload(database.db, owner, clock());
    if (upload && (await discardUpload(this.deps, upload))) return;
    const current = await store.findClientUpload(database.db, owner, clock());
    if (!current) throw notFound('Upload');
    throw conflict('The upload is complete. Delete the file instead.');
  }

  /** Ends the requests that send to tus uploads. What has arrived is stored, and their clients continue. */
  async stop(): Promise<void> {
    this.stopper.abort(
      unavailable('The server is restarting. Try again in a moment.', RETRY_AFTER_MS),
    );
  }

  /** Deletes the rows of expired uploads. The pending deletes delete their objects. */
  async deleteExpired(signal: AbortSignal): Promise<void> {
    const { database, clock } = this.deps;
    await store.deleteExpiredUploads(database.db, clock(), signal);
  }

  /**
   * Deletes all uploads of a bucket, and the objects of unfinished ones. An interrupted call can be
   * repeated.
   */
  async deleteAllOf(bucketId: string, signal?: AbortSignal): Promise<void> {
    const { database, clock } = this.deps;
    const deleteSlice = (limit: number) =>
      database.transaction(async (tx) => {
        const uploads = await store.takeUploads(tx, bucketId, limit);
        // The objects of a finished upload belong to its file.
        const unfinished = uploads.filter(({ file_id }) => file_id === null);
        await scheduleDeletes(tx, new Set(unfinished.map(({ prefix }) => prefix)), clock());
        return uploads.length;
      });
    await inSlices(deleteSlice, signal);
  }
}
