import { SECOND } from '../../contract/limits.ts';
import { conflict, notFound, unavailable } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/db/port.ts';
import { inSlices } from '../../platform/slices.ts';
import { scheduleDelete, scheduleDeletes } from '../../platform/storage/pending-deletes-store.ts';
import * as store from './store.ts';
import * as tus from './tus/store.ts';

/** A restart takes about as long. */
const RETRY_AFTER_MS = 2 * SECOND;

/** The uploads that are not yet files: videos in chunks, and those by tus. */
export class Uploads {
  private readonly stopper = new AbortController();
  /** Aborts when the server stops, with the error of requests that are cut short. */
  readonly stopping: AbortSignal = this.stopper.signal;

  constructor(private readonly deps: { database: Database; clock: Clock }) {}

  /**
   * Returns which chunks of an upload have arrived, so that a client sends only the others. Throws
   * not-found.
   */
  async progress(owner: store.UploadOwner) {
    const { database, clock } = this.deps;
    const upload = await store.findUpload(database.db, owner, clock());
    if (!upload) throw notFound('Upload');
    const chunks = await store.listChunks(database.db, upload.id);
    return {
      received: chunks.map((chunk) => chunk.number),
      total: upload.total_chunks,
      file_id: upload.file_id,
      expires: new Date(upload.expires_at).toISOString(),
    };
  }

  /**
   * Cancels an upload and deletes its chunks. Throws not-found, and conflict once it is complete.
   */
  async cancel(owner: store.UploadOwner): Promise<void> {
    const { database, clock } = this.deps;
    await database.transaction(async (tx) => {
      const existing = await store.findUpload(tx, owner, clock());
      const upload = existing && (await store.touchUpload(tx, existing.id, clock()));
      if (!upload) throw notFound('Upload');
      if (upload.file_id) throw conflict('The upload is complete. Delete the file instead.');
      await store.deleteUpload(tx, upload.id);
      await scheduleDelete(tx, upload.prefix, clock());
    });
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
    await store.forgetUploads(database.db, clock(), signal);
    await tus.forgetUploads(database.db, clock(), signal);
  }

  /**
   * Deletes all uploads of a bucket, and the objects of unfinished ones. An interrupted call can be
   * repeated.
   */
  async deleteAllOf(bucketId: string, signal?: AbortSignal): Promise<void> {
    const { database } = this.deps;
    for (const kind of [store, tus]) {
      const deleteSlice = (limit: number) =>
        database.transaction((tx) => this.deleteSlice(tx, kind, bucketId, limit));
      await inSlices(deleteSlice, signal);
    }
  }

  private async deleteSlice(
    tx: Tx,
    kind: typeof store | typeof tus,
    bucketId: string,
    limit: number,
  ): Promise<number> {
    const uploads = await kind.takeUploads(tx, bucketId, limit);
    // The objects of a finished upload belong to its file.
    const unfinished = uploads.filter(({ file_id }) => file_id === null);
    const prefixes = new Set(unfinished.map(({ prefix }) => prefix));
    await scheduleDeletes(tx, prefixes, this.deps.clock());
    return uploads.length;
  }
}
