import { DELETION_TURN_MS } from '../contract/limits.ts';
import type { OwnedResources } from '../features/accounts/service.ts';
import { BUCKET_EVENTS, type Buckets, type Webhooks } from '../features/buckets/service.ts';
import type { Files } from '../features/files/service.ts';
import type { Uploads } from '../features/uploads/service.ts';
import type { Events } from '../platform/events/port.ts';
import type { Queue } from '../platform/queue/queue.ts';

type CleanupDeps = {
  buckets: Buckets;
  files: Files;
  uploads: Uploads;
  webhooks: Pick<Webhooks, 'announceDeletion'>;
  events: Events;
  queue: Queue;
  /** Writes the usage that is counted in memory, so that the last charge includes all of it. */
  flush: () => Promise<void>;
  /** Closes the payment pages that the account has opened. */
  expireCheckouts: (userId: string) => Promise<void>;
  /** Charges for what is deleted, before the transaction that closes the account. */
  settleAccount: (userId: string, signal: AbortSignal) => Promise<void>;
  closeAccount: OwnedResources['close'];
  paidCredit: OwnedResources['paidCredit'];
};

type DeletionOptions = { signal: AbortSignal; onDeleted: (files: number) => void };

/**
 * Deletes what an account owns. Features above accounts own it, so it is passed in here. Each step can be
 * interrupted and repeated, because the row that everything else depends on is deleted last.
 */
export function createAccountCleanup(deps: CleanupDeps): OwnedResources {
  const { buckets, events, queue } = deps;

  queue.handle<{ files?: number }>('delete-bucket', {
    concurrency: 1,
    turnMs: DELETION_TURN_MS,
    async run({ subject: bucketId, payload, signal, report }) {
      const files = await buckets.contents.countFiles(bucketId);
      const onDeleted = reportRemaining(files, payload.files, report);
      await deleteBucket(deps, bucketId, { signal, onDeleted });
      return async () => {};
    },
  });

  return {
    totals: (userId, tx) => buckets.ofAccount.totals(userId, tx),
    bucketName: async (userId, bucketId) => (await buckets.get(userId, bucketId)).name,
    stop: (tx, userId) => buckets.ofAccount.markDeleting(tx, userId),
    paidCredit: deps.paidCredit,
    refresh: (userId) => events.publish(BUCKET_EVENTS, { userId }),
    async wipe(userId, { files, signal, report }) {
      await deps.expireCheckouts(userId);
      const remaining = await buckets.ofAccount.totals(userId);
      const onDeleted = reportRemaining(remaining.files, files, report);
      for (const bucketId of await buckets.ofAccount.idsOf(userId)) {
        await deleteBucket(deps, bucketId, { signal, onDeleted });
      }
      await deps.settleAccount(userId, signal);
    },
    close: deps.closeAccount,
  };
}

/** Deletes everything in a bucket, then the bucket. The pending deletes delete the objects later. */
async function deleteBucket(deps: CleanupDeps, bucketId: string, options: DeletionOptions) {
  const { buckets, files, uploads, webhooks, events, flush } = deps;
  await events.publish(BUCKET_EVENTS, { bucketId });
  await uploads.deleteAllOf(bucketId, options.signal);
  await files.deletion.deleteAllOf(bucketId, options);
  await flush();
  await buckets.deletion.finish(bucketId, async (tx) => {
    await files.deletion.releaseObjectsOf(tx, bucketId);
    await webhooks.announceDeletion(tx, bucketId);
  });
}

/**
 * Returns a function that reports the progress in per cent when so many more files are deleted.
 * @param remaining how many files there are now
 * @param total how many there were when the deletion started, if that is known
 */
function reportRemaining(
  remaining: number,
  total = remaining,
  report: (percent: number) => void,
): (files: number) => void {
  return (files) => {
    remaining -= files;
    if (total > 0) report(Math.max(0, Math.floor(100 * (1 - remaining / total))));
  };
}
