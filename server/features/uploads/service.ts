import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import { doom } from '../../platform/objects/doomed.ts';
import { uploadPrefix } from '../files/service.ts';
import * as store from './store.ts';

const WIPE_BATCH = 100;

export function createUploads({ database, clock }: { database: Database; clock: Clock }) {
  return {
    /** Removes the rows of uploads that nobody can go on with; the sweep has their objects. */
    forgetExpired: () => store.forgetUploads(database.db, clock()),

    /** Removes all uploads of a bucket, unfinished ones with their objects. May be called again. */
    async wipe(bucketId: string): Promise<void> {
      for (;;) {
        const count = await database.transaction(async (tx) => {
          const uploads = await store.someUploads(tx, bucketId, WIPE_BATCH);
          for (const { id, file_id } of uploads) {
            // A finished one's objects are its file's.
            if (!file_id) await doom(tx, uploadPrefix(id), clock());
            await store.deleteUpload(tx, id);
          }
          return uploads.length;
        });
        if (count < WIPE_BATCH) return;
      }
    },
  };
}
