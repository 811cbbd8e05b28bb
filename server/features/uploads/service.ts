import { conflict, notFound } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import { scheduleDelete } from '../../platform/storage/pending-deletes-store.ts';
import * as store from './store.ts';
import * as tus from './tus/store.ts';

const WIPE_BATCH = 100;

export type Uploads = ReturnType<typeof createUploads>;

export function createUploads({ database, clock }: { database: Database; clock: Clock }) {
  const { db } = database;

  return {
    /**
     * Which chunks of an upload have arrived, so that only the others are sent. Throws not-found.
     */
    async progress(owner: store.UploadOwner) {
      const upload = await store.findUpload(db, owner, clock());
      if (!upload) throw notFound('Upload');
      const chunks = await store.listChunks(db, upload.id);
      return {
        received: chunks.map((chunk) => chunk.number),
        total: upload.total_chunks,
        fileId: upload.file_id,
        expires: new Date(upload.expires_at).toISOString(),
      };
    },

    /**
     * Ends an upload and removes what was sent of it. Throws not-found, conflict once it is
     * complete.
     */
    async stop(owner: store.UploadOwner): Promise<void> {
      await database.transaction(async (tx) => {
        const existing = await store.findUpload(tx, owner, clock());
        const upload = existing && (await store.touchUpload(tx, existing.id, clock()));
        if (!upload) throw notFound('Upload');
        if (upload.file_id) throw conflict('The upload is complete. Delete the file instead.');
        await store.deleteUpload(tx, upload.id);
        await scheduleDelete(tx, upload.prefix, clock());
      });
    },

    /** Removes the rows of uploads that nobody can go on with; the sweep has their objects. */
    async forgetExpired() {
      await store.forgetUploads(db, clock());
      await tus.forgetUploads(db, clock());
    },

    /** Removes all uploads of a bucket, unfinished ones with their objects. May be called again. */
    async wipe(bucketId: string): Promise<void> {
      for (const kind of [store, tus]) {
        for (;;) {
          const count = await database.transaction(async (tx) => {
            const uploads = await kind.someUploads(tx, bucketId, WIPE_BATCH);
            for (const { id, file_id, prefix } of uploads) {
              // A finished one's objects are its file's.
              if (!file_id) await scheduleDelete(tx, prefix, clock());
              await kind.deleteUpload(tx, id);
            }
            return uploads.length;
          });
          if (count < WIPE_BATCH) break;
        }
      }
    },
  };
}
