import type { OwnedResources } from '../features/accounts/service.ts';
import { BUCKET_EVENTS, type Buckets } from '../features/buckets/service.ts';
import type { Events } from '../platform/events/port.ts';
import { type BucketCleanup, reportRemaining } from './bucket-cleanup.ts';

type CleanupDeps = {
  buckets: Buckets;
  bucketCleanup: Pick<BucketCleanup, 'deleteBucket'>;
  events: Events;
  /** Closes the payment pages that the account has opened. */
  expireCheckouts: (userId: string) => Promise<void>;
  /** Charges for what is deleted, before the transaction that closes the account. */
  settleAccount: (userId: string, signal: AbortSignal) => Promise<void>;
  closeAccount: OwnedResources['close'];
  paidCredit: OwnedResources['paidCredit'];
};

/**
 * Deletes what an account owns. Features above accounts own it, so it is passed in here. Each step can be
 * interrupted and repeated, because the row that everything else depends on is deleted last.
 */
export function createAccountCleanup(deps: CleanupDeps): OwnedResources {
  const { buckets, bucketCleanup, events } = deps;
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
        await bucketCleanup.deleteBucket(bucketId, { signal, onDeleted });
      }
      await deps.settleAccount(userId, signal);
    },
    close: deps.closeAccount,
  };
}
