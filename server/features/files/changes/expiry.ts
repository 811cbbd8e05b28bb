import type { Clock } from '../../../platform/clock.ts';
import { forEachSettled } from '../../../platform/concurrency.ts';
import type { Database } from '../../../platform/db/port.ts';
import type { Buckets } from '../../buckets/service.ts';
import type { FileDeletion } from '../file-deletion.ts';
import { fileById } from '../store.ts';
import { type ExpiredFile, expiredFiles } from './updates-store.ts';

const BATCH_SIZE = 256;
/** SQLite commits the transactions together that wait at the same time. */
const CONCURRENCY = 4;

type Deps = {
  database: Database;
  clock: Clock;
  buckets: Pick<Buckets, 'contents' | 'byId'>;
  deletion: Pick<FileDeletion, 'deleteIn'>;
};

/** Deletes files that have expired. They are not delivered from the moment on, however late this is. */
export class Expiry {
  constructor(private readonly deps: Deps) {}

  /**
   * Deletes the expired files of all buckets. An interrupted call can be repeated. Throws the first failure at the
   * end: a file whose deletion fails keeps no other from being deleted.
   */
  async deleteExpired(signal: AbortSignal): Promise<void> {
    await forEachSettled(this.listExpired(), CONCURRENCY, async ({ bucket_id, id }) => {
      signal.throwIfAborted();
      await this.deleteFile(bucket_id, id);
    });
  }

  private async *listExpired(): AsyncGenerator<ExpiredFile> {
    const { database, clock } = this.deps;
    for (let after: ExpiredFile | null = null; ; ) {
      const page = { after, limit: BATCH_SIZE };
      const files: ExpiredFile[] = await expiredFiles(database.db, clock(), page);
      yield* files;
      const last = files.at(-1);
      if (!last || files.length < BATCH_SIZE) return;
      after = last;
    }
  }

  private async deleteFile(bucketId: string, id: string): Promise<void> {
    const { database, clock, buckets, deletion } = this.deps;
    const bucket = await buckets.byId(bucketId);
    // A bucket that is being deleted takes its files along.
    if (!bucket) return;
    await database.transaction(async (tx) => {
      await buckets.contents.lock(tx, bucketId);
      // Its owner may have set another time since.
      const { expires_at } = (await fileById(tx, id)) ?? { expires_at: null };
      if (expires_at === null || expires_at > clock()) return;
      await deletion.deleteIn(tx, bucket, id, 'system');
    });
  }
}
