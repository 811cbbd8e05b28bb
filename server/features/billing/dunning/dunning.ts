import { DAY } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Executor, Tx } from '../../../platform/db/port.ts';
import type { Events } from '../../../platform/events/port.ts';
import type { MailQueue } from '../../../platform/mail/enqueue-mail.ts';
import type { Queue } from '../../../platform/queue/queue.ts';
import { BUCKET_EVENTS, type Buckets } from '../../buckets/service.ts';
import { ongoingBalances } from '../charging/ongoing-balance.ts';
import { pricesSoFar } from '../charging/prices-store.ts';
import { lockAccount } from '../ledger/ledger.ts';
import * as store from '../ledger/ledger-store.ts';
import { reviewTimeOf } from '../ledger/review-time.ts';
import { dunningMail } from './dunning-mails.ts';
import { type Decision, decideDunning } from './dunning-rules.ts';

/** How many due accounts one query reads. */
const REVIEW_BATCH_SIZE = 100;

export type DunningDeps = {
  database: Database;
  clock: Clock;
  events: Events;
  queue: Queue;
  enqueueMail: MailQueue;
  buckets: Pick<Buckets, 'deletion'>;
  /** Returns the address of a user; null for a user to whom no mail may be sent. */
  addressOf: (db: Executor, userId: string) => Promise<string | null>;
  takesPayments: boolean;
  /** How many micro-USD below zero an account that has paid before is still delivered. */
  creditLimit: number;
  appUrl: string;
  onError: (error: unknown) => void;
};

/**
 * Handles accounts whose balance runs out: it sends mails, suspends buckets, and finally deletes
 * them.
 */
export class Dunning {
  private readonly deps: DunningDeps;

  constructor(deps: DunningDeps) {
    this.deps = deps;
  }

  /** Reviews an account now. After a payment this resumes its buckets. */
  async review(userId: string): Promise<void> {
    const { database, queue, events, buckets } = this.deps;
    const change = await database.transaction((tx) => this.reviewLocked(tx, userId));
    queue.wake('mail');
    if (change === 'deletion') await buckets.deletion.announce({ userId });
    if (change === 'delivery') await events.publish(BUCKET_EVENTS, { userId });
  }

  /**
   * Reviews every account that is due, and those to which another configuration applied at their last review.
   */
  async round(signal?: AbortSignal): Promise<void> {
    const { database, clock, takesPayments } = this.deps;
    const { db } = database;
    const now = clock();
    await this.reviewAll((...page) => store.findDueAccounts(db, now, ...page), signal);
    await this.reviewAll(
      (...page) => store.findMisjudgedAccounts(db, takesPayments, ...page),
      signal,
    );
  }

  /** An account whose review fails does not stop the others. */
  private async reviewAll(
    find: (after: string, limit: number) => Promise<string[]>,
    signal?: AbortSignal,
  ): Promise<void> {
    for (let after = ''; ; ) {
      const userIds = await find(after, REVIEW_BATCH_SIZE);
      for (const userId of userIds) {
        signal?.throwIfAborted();
        await this.review(userId).catch(this.deps.onError);
      }
      const last = userIds.at(-1);
      if (last === undefined || userIds.length < REVIEW_BATCH_SIZE) return;
      after = last;
    }
  }

  /** Returns whether the deletion of the account's buckets has started, or their delivery has changed. */
  private async reviewLocked(tx: Tx, userId: string): Promise<'deletion' | 'delivery' | null> {
    const { clock, takesPayments, creditLimit, addressOf, buckets } = this.deps;
    const now = clock();
    const account = await lockAccount(tx, userId);
    if (account.closed_at !== null) return null;
    const price = (await pricesSoFar(tx)).at(-1)?.storage ?? 0;
    const [ongoing] = await ongoingBalances(tx, [userId], now);
    const { balance, stored } = ongoing ?? { balance: account.balance, stored: 0 };
    const credit_limit = (await store.hasAddedCredit(tx, userId)) ? creditLimit : 0;
    const reviewAt = reviewTimeOf({ balance, stored, price, credit_limit, from: now });
    const limited = { ...account, balance, credit_limit };
    const decision = decideDunning(limited, now, takesPayments, reviewAt);
    const to = await addressOf(tx, userId);
    if (to === null && account.below_since !== null && decision.notice !== null) {
      // Files are only deleted after their owner has been told, so the notice waits for an address.
      await store.setDunningState(tx, userId, { review_at: now + DAY });
      return null;
    }
    await store.setDunningState(tx, userId, { ...decision.state, credit_limit });
    if (to !== null) await this.notify(tx, to, decision, credit_limit);
    if (decision.isDeletionDue) {
      await buckets.deletion.startAll(tx, userId, 'system');
      return 'deletion';
    }
    return decision.state.delivery_until === account.delivery_until ? null : 'delivery';
  }

  private async notify(
    tx: Tx,
    to: string,
    { notice, state }: Decision,
    creditLimit: number,
  ): Promise<void> {
    if (!notice) return;
    const { clock, appUrl, takesPayments, enqueueMail } = this.deps;
    const now = clock();
    const mail = dunningMail(notice, {
      to,
      appUrl,
      takesPayments,
      creditLimit,
      deliveredUntil: (state.delivery_until ?? now) > now ? state.delivery_until : null,
      deletedAt: state.delete_at ?? now,
    });
    await enqueueMail(tx, { ...mail, isNotice: true });
  }
}
