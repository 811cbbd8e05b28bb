import type { OwnedResources } from '../features/accounts/service.ts';
import { BUCKET_EVENTS, type Buckets } from '../features/buckets/service.ts';
import type { Files } from '../features/files/service.ts';
import type { Uploads } from '../features/uploads/service.ts';
import type { Events } from '../platform/events/port.ts';
import type { Queue } from '../platform/queue/queue.ts';

/**
 * Deletes what an account owns. Features above accounts own it, so it is passed in here. Each step can be
 * interrupted and repeated, because the row that everything else depends on is deleted last.
 */
export function createAccountCleanup(services: {
  buckets: Buckets;
  files: Files;
  uploads: Uploads;
  events: Events;
  queue: Queue;
  /** Writes the usage that is counted in memory, so that the last charge includes all of it. */
  flush: () => Promise<void>;
  closeAccount: OwnedResources['close'];
  sweep: () => Promise<void>;
}): OwnedResources {
  const { buckets, files, uploads, events, queue, flush, sweep } = services;

  const wipeBucket = async (bucketId: string) => {
    await events.publish(BUCKET_EVENTS, { bucketId });
    await uploads.deleteAllOf(bucketId);
    await files.deletion.deleteAllOf(bucketId);
    await flush();
    await buckets.deletion.finish(bucketId);
  };

  queue.handle('delete-bucket', {
    concurrency: 1,
    async run({ subject: bucketId }) {
      await wipeBucket(bucketId);
      await sweep();
      return async () => {};
    },
  });

  return {
    totals: (userId) => buckets.ofAccount.totals(userId),
    bucketName: async (userId, bucketId) => (await buckets.get(userId, bucketId)).name,
    stop: (tx, userId) => buckets.ofAccount.markDeleting(tx, userId),
    refresh: (userId) => events.publish(BUCKET_EVENTS, { userId }),
    async wipe(userId) {
      for (const bucketId of await buckets.ofAccount.idsOf(userId)) {
        await wipeBucket(bucketId);
      }
      await sweep();
    },
    close: services.closeAccount,
  };
}
