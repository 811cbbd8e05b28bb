import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import type { Usage } from '../../usage/service.ts';
import { accountsWithUse } from '../charging/activation-store.ts';
import { ongoingBalances } from '../charging/ongoing-balance.ts';
import { pricesSoFar } from '../charging/prices-store.ts';
import { needsReview } from '../ledger/review-time.ts';

/** How many accounts one query reads. */
const CHECK_BATCH_SIZE = 100;

/**
 * Finds the accounts whose ongoing balance has reached another level. Accounts that only store
 * something need no check: the time of their next review is stored.
 */
export class BalanceWatch {
  /** @param deps.review reviews an account, with its row locked */
  constructor(
    private readonly deps: {
      database: Database;
      clock: Clock;
      usage: Pick<Usage, 'takeActiveAccounts'>;
      review: (userId: string) => Promise<void>;
      onError: (error: unknown) => void;
    },
  ) {}

  /** Checks the accounts that this process has counted usage of since the last call. */
  async watch(signal?: AbortSignal): Promise<void> {
    const ids = this.deps.usage.takeActiveAccounts();
    for (let at = 0; at < ids.length; at += CHECK_BATCH_SIZE) {
      signal?.throwIfAborted();
      await this.check(ids.slice(at, at + CHECK_BATCH_SIZE));
    }
  }

  /** Checks all accounts with usage since their last charge. */
  async sweep(signal?: AbortSignal): Promise<void> {
    for (let after = ''; ; ) {
      signal?.throwIfAborted();
      const page = await accountsWithUse(this.deps.database.db, after, CHECK_BATCH_SIZE);
      const last = page.at(-1);
      if (last === undefined) return;
      await this.check(page.map(({ user_id }) => user_id));
      after = last.user_id;
    }
  }

  private async check(userIds: string[]): Promise<void> {
    const { database, clock, review, onError } = this.deps;
    const now = clock();
    const price = (await pricesSoFar(database.db)).at(-1)?.storage ?? 0;
    for (const account of await ongoingBalances(database.db, userIds, now)) {
      if (needsReview(account, { now, price })) await review(account.user_id).catch(onError);
    }
  }
}
