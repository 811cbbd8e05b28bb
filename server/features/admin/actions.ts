import { toMicroUsd, toUsd } from '../../contract/money.ts';
import { conflict, notFound } from '../../errors.ts';
import { record } from '../../platform/audit/record.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import { type Accounts, accountBeingDeleted, lockUser, type Session } from '../accounts/service.ts';
import type { Payments, RefundForm } from '../billing/payments/service.ts';
import { type Billing, grantCredit } from '../billing/service.ts';
import { type Buckets, requireNotDeleting } from '../buckets/service.ts';
import { bucketDetail } from './lists-store.ts';
import * as store from './store.ts';

export type AdminActionDeps = {
  database: Database;
  clock: Clock;
  queue: Queue;
  accounts: Pick<Accounts, 'moderation'>;
  buckets: Pick<Buckets, 'moderation' | 'deletion' | 'publishChange'>;
  billing: Pick<Billing, 'review'>;
  payments: Pick<Payments, 'refund'>;
};

/** The actions of the admin. Each writes its audit entry in its own transaction. */
export class AdminActions {
  private readonly deps: AdminActionDeps;

  constructor(deps: AdminActionDeps) {
    this.deps = deps;
  }

  banUser(admin: Session, id: string) {
    return this.deps.accounts.moderation.banUser(admin, id);
  }

  unbanUser(admin: Session, id: string) {
    return this.deps.accounts.moderation.unbanUser(admin, id);
  }

  deleteUser(admin: Session, id: string, email: string) {
    return this.deps.accounts.moderation.deleteUser(admin, id, email);
  }

  setStorageLimit(admin: Session, id: string, maxBytes: number | null) {
    return this.deps.accounts.moderation.setStorageLimit(admin, id, maxBytes);
  }

  banBucket(admin: Session, id: string) {
    return this.deps.buckets.moderation.ban(id, actorOf(admin));
  }

  unbanBucket(admin: Session, id: string) {
    return this.deps.buckets.moderation.unban(id, actorOf(admin));
  }

  /**
   * Deletes a bucket. `name` must be the bucket's, which confirms that the admin means this one.
   * Throws not-found, conflict.
   */
  async deleteBucket(admin: Session, id: string, name: string): Promise<void> {
    const { database, buckets } = this.deps;
    await database.transaction(async (tx) => {
      const row = await bucketDetail(tx, id);
      if (!row) throw notFound('Bucket');
      requireNotDeleting(row);
      if (row.name !== name) throw conflict("The name doesn't match this bucket.");
      await buckets.deletion.start(tx, id, actorOf(admin));
    });
    await buckets.deletion.announce({ bucketId: id });
  }

  /**
   * Grants credit, or deducts it with a negative amount of `usd`. A grant that is sent again with
   * the same `id` counts once. Returns the user's new credit in USD. Throws not-found, conflict.
   */
  async grantCredit(
    admin: Session,
    userId: string,
    grant: { usd: number; id: string },
  ): Promise<{ credit: number }> {
    const { database, clock, billing } = this.deps;
    const balance = await database.transaction(async (tx) => {
      const user = await lockUser(tx, userId);
      if (!user) throw notFound('User');
      if (user.status === 'deleting') throw accountBeingDeleted();
      const { usd, id } = grant;
      const amount = toMicroUsd(usd);
      return grantCredit(tx, { userId, amount, id, actor: actorOf(admin) }, clock());
    });
    await billing.review(userId);
    return { credit: toUsd(balance) };
  }

  /**
   * Refunds a payment or a part of it. Throws not-found, invalid, conflict, not-configured, unavailable,
   * provider-failed.
   */
  refundPayment(admin: Session, id: string, form: RefundForm) {
    return this.deps.payments.refund(admin.userId, id, form);
  }

  /** Hides an entry of the audit log, which is recorded too. Throws not-found. */
  async hideLog(admin: Session, id: string): Promise<void> {
    const { database, clock } = this.deps;
    await database.transaction(async (tx) => {
      const now = clock();
      const row = await store.findLogEntry(tx, id);
      if (!row || !(await store.hideLog(tx, id, now))) throw notFound('Log entry');
      await record(tx, now, {
        section: row.section,
        action: 'log.hidden',
        message: `Log entry deleted: ${row.message}`,
        actor: actorOf(admin),
        subject: row.subject_id,
        details: { entry: row.id, date: new Date(row.created_at).toISOString() },
      });
    });
  }

  /** Adds a failed job to the queue again. Throws conflict for a job that can't be retried. */
  async retryJob(admin: Session, id: string): Promise<void> {
    const { database, clock, queue } = this.deps;
    const kind = await database.transaction(async (tx) => {
      const retried = await queue.retry(tx, id);
      if (retried === null) throw conflict("This job can't be retried.");
      await record(tx, clock(), {
        section: 'system',
        action: 'job.retried',
        message: 'Failed job retried.',
        actor: actorOf(admin),
        subject: id,
      });
      return retried;
    });
    queue.wake(kind);
  }
}

const actorOf = (admin: Session) => ({ userId: admin.userId });
