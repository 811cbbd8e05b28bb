import { DAY } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import type { AccountBuckets } from '../account-buckets-store.ts';
import type { BucketDeletion } from '../bucket-deletion.ts';

/** How many accounts one query reads. */
const BATCH_SIZE = 100;

/**
 * Deletes the buckets of accounts that have been banned for long. Until then they are charged for what they store, and
 * an admin can lift the ban, so that the owner can download it. The account stays banned, with its balance.
 */
export class BanRetention {
  constructor(
    private readonly deps: {
      database: Database;
      clock: Clock;
      ofAccount: AccountBuckets;
      deletion: BucketDeletion;
      banRetentionDays: number;
    },
  ) {}

  /** Starts the deletion of what is due. The signal ends it between two accounts. */
  async round(signal?: AbortSignal): Promise<void> {
    const { clock, ofAccount, banRetentionDays } = this.deps;
    const before = clock() - banRetentionDays * DAY;
    for (;;) {
      const userIds = await ofAccount.findBanned(before, BATCH_SIZE);
      for (const userId of userIds) {
        signal?.throwIfAborted();
        await this.deleteBuckets(userId, before);
      }
      if (userIds.length < BATCH_SIZE) return;
    }
  }

  private async deleteBuckets(userId: string, before: number): Promise<void> {
    const { database, ofAccount, deletion } = this.deps;
    await database.transaction(async (tx) => {
      // The ban may have been lifted since the account was found.
      if (await ofAccount.lockBanned(tx, userId, before)) {
        await deletion.startAll(tx, userId, 'system');
      }
    });
    await deletion.announce({ userId });
  }
}
