import { DAY, SUSPENSION_GRACE_MS } from '../../../contract/limits.ts';
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
import type { LedgerAccountRow } from '../tables.ts';
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
  buckets: Pick<Buckets, 'ofAccount' | 'deletion'>;
  /** Returns the address of a user; null for a user to whom no mail may be sent. */
  addressOf: (db: Executor, userId: string) => Promise<string | null>;
  takesPayments: boolean;
  appUrl: string;
  onError: (error: unknown) => void;
};

/**
 * Handles accounts whose balance runs out: it sends mails, suspends buckets, and finally deletes
 * them.
 */
export class Dunning {
  readonly #deps: DunningDeps;

  constructor(deps: DunningDeps) {
    this.#deps = deps;
  }

  /** Reviews an account now. After a payment this resumes its buckets. */
  async review(userId: string): Promise<void> {
    const { database, queue, events } = this.#deps;
    const changed = await database.transaction((tx) => this.#reviewLocked(tx, userId));
    queue.wake('mail');
    for (const bucketId of changed) await events.publish(BUCKET_EVENTS, { bucketId });
  }

  /**
   * Reviews every account that is due, and those to which another configuration applied at their last review.
   */
  async round(signal?: AbortSignal): Promise<void> {
    const { database, clock, takesPayments } = this.#deps;
    const { db } = database;
    const now = clock();
    await this.#reviewAll((...page) => store.findDueAccounts(db, now, ...page), signal);
    await this.#reviewAll(
      (...page) => store.findMisjudgedAccounts(db, takesPayments, ...page),
      signal,
    );
  }

  /** An account whose review fails does not stop the others. */
  async #reviewAll(
    find: (after: string, limit: number) => Promise<string[]>,
    signal?: AbortSignal,
  ): Promise<void> {
    for (let after = ''; ; ) {
      const userIds = await find(after, REVIEW_BATCH_SIZE);
      for (const userId of userIds) {
        signal?.throwIfAborted();
        await this.review(userId).catch(this.#deps.onError);
      }
      const last = userIds.at(-1);
      if (last === undefined || userIds.length < REVIEW_BATCH_SIZE) return;
      after = last;
    }
  }

  /** Returns the ids of the buckets whose status has changed. */
  async #reviewLocked(tx: Tx, userId: string): Promise<string[]> {
    const { clock, takesPayments, addressOf } = this.#deps;
    const now = clock();
    const account = await lockAccount(tx, userId);
    if (account.closed_at !== null) return [];
    const price = (await pricesSoFar(tx)).at(-1)?.storage ?? 0;
    const [ongoing] = await ongoingBalances(tx, [userId], now);
    const { balance, stored } = ongoing ?? { balance: account.balance, stored: 0 };
    const reviewAt = reviewTimeOf({ balance, stored, price, from: now });
    const decision = decideDunning({ ...account, balance }, now, takesPayments, reviewAt);
    const to = await addressOf(tx, userId);
    if (to === null && account.below_since !== null && decision.notice !== null) {
      // Files are only deleted after their owner has been told, so the notice waits for an address.
      await store.setDunningState(tx, userId, { review_at: now + DAY });
      return [];
    }
    await store.setDunningState(tx, userId, decision.state);
    if (to !== null) await this.#notify(tx, to, decision);
    return this.#applyDecision(tx, account, decision);
  }

  async #notify(tx: Tx, to: string, { notice, state }: Decision): Promise<void> {
    if (!notice) return;
    const { clock, appUrl, takesPayments, enqueueMail } = this.#deps;
    const now = clock();
    const mail = dunningMail(notice, {
      to,
      appUrl,
      takesPayments,
      deliveredUntil: (state.below_since ?? now) + SUSPENSION_GRACE_MS,
      deletedAt: state.delete_at ?? now,
    });
    await enqueueMail(tx, { ...mail, isNotice: true });
  }

  /** Returns the ids of the buckets whose status has changed. */
  async #applyDecision(
    tx: Tx,
    { user_id: userId }: LedgerAccountRow,
    { buckets: what, state }: Decision,
  ): Promise<string[]> {
    const { buckets, clock } = this.#deps;
    if (what === 'resume') return buckets.ofAccount.resume(tx, userId);
    const suspended = await buckets.ofAccount.suspend(tx, userId, state.below_since ?? clock());
    if (what === 'suspend') return suspended;
    const ids = await buckets.ofAccount.lockSuspended(tx, userId);
    for (const id of ids) await buckets.deletion.start(tx, id, 'system');
    return ids;
  }
}
