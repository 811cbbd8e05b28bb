import { conflict, notFound } from '../../errors.ts';
import type { Actor } from '../../platform/audit/record.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import { createBucketAudit } from './audit.ts';
import * as store from './store.ts';

/** What is done to a bucket from above; who may do it is checked before. */
export function createModeration(options: {
  database: Database;
  clock: Clock;
  /** Has every cache look at the bucket anew. */
  tell: (bucketId: string) => Promise<void>;
}) {
  const { database, clock, tell } = options;
  const note = createBucketAudit(clock);

  const setBanned = async (id: string, at: number | null, actor: Actor): Promise<void> => {
    await database.transaction(async (tx) => {
      const row = await store.bucketById(tx, id);
      if (!row) throw notFound('Bucket');
      if (row.status === 'deleting') throw conflict('The bucket is being deleted.');
      if (!(await store.setBanned(tx, id, at))) {
        throw conflict(at === null ? 'The bucket is not banned.' : 'The bucket is banned already.');
      }
      await note(tx, row, at === null ? 'unbanned' : 'banned', actor);
    });
    await tell(id);
  };

  return {
    /** Its delivery and its uploads stop, its keys and tokens open nothing. Throws not-found, conflict. */
    ban: (id: string, actor: Actor) => setBanned(id, clock(), actor),

    /** It is again what it was, or has become meanwhile. Throws not-found, conflict. */
    unban: (id: string, actor: Actor) => setBanned(id, null, actor),
  };
}
