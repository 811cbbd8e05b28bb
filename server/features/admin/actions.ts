import { MICRO_USD, toMicroUsd, toUsd } from '../../contract/money.ts';
import { conflict, notFound } from '../../errors.ts';
import { record } from '../../platform/audit/record.ts';
import type { Session } from '../accounts/service.ts';
import { post } from '../billing/service.ts';
import type { AdminServices } from './service.ts';
import * as store from './store.ts';

/** What the admin does. Each act is in the log, in the transaction in which it happens. */
export function createAdminActions({
  database,
  clock,
  queue,
  accounts,
  buckets,
  billing,
}: AdminServices) {
  const actorOf = (admin: Session) => ({ userId: admin.userId });

  return {
    banUser: (admin: Session, id: string) => accounts.moderation.banUser(admin, id),
    unbanUser: (admin: Session, id: string) => accounts.moderation.unbanUser(admin, id),
    deleteUser: (admin: Session, id: string, email: string) =>
      accounts.moderation.deleteUser(admin, id, email),
    banBucket: (admin: Session, id: string) => buckets.ban(id, actorOf(admin)),
    unbanBucket: (admin: Session, id: string) => buckets.unban(id, actorOf(admin)),

    /** Wipes a bucket as its owner could. `name` shows that no other is meant. Throws not-found, conflict. */
    async deleteBucket(admin: Session, id: string, name: string): Promise<void> {
      await database.transaction(async (tx) => {
        const row = await store.bucketDetail(tx, id);
        if (!row) throw notFound('Bucket');
        if (row.status === 'deleting') throw conflict('The bucket is being deleted.');
        if (row.name !== name) throw conflict('This is not the name of the bucket.');
        await buckets.stop(tx, id, actorOf(admin));
        await queue.add(tx, { kind: 'delete-bucket', subject: id, payload: {} });
      });
      queue.wake();
      await buckets.tell(id);
    },

    /**
     * Gives a user credit; with a minus it takes it.
     * @param grant.usd with at most two decimals
     * @param grant.id of this grant, the client's own: sent again, it counts once
     */
    async grantCredit(
      admin: Session,
      userId: string,
      grant: { usd: number; id: string },
    ): Promise<{ credit: number }> {
      const granted = await database.transaction(async (tx) => {
        const now = clock();
        const user = await store.userById(tx, userId);
        if (!user) throw notFound('User');
        if (user.status === 'deleting') throw conflict('The account is being deleted.');
        const amount = toMicroUsd(grant.usd);
        const { entry, isNew } = await post(tx, {
          userId,
          kind: 'grant',
          amount,
          ref: `grant:${grant.id}`,
          detail: { by: admin.userId },
          at: now,
        });
        if (entry.user_id !== userId || entry.amount !== amount) {
          throw conflict('A grant with this id was another one.');
        }
        if (isNew) {
          const verb = amount > 0 ? 'given to' : 'taken from';
          await record(tx, now, {
            section: 'payments',
            action: 'credit.granted',
            message: `Credit of $${(Math.abs(amount) / MICRO_USD).toFixed(2)} was ${verb} an account.`,
            actor: actorOf(admin),
            subject: userId,
            details: { usd: grant.usd, grant: grant.id },
          });
        }
        return { credit: toUsd(entry.balance) };
      });
      await billing.review(userId);
      return granted;
    },

    /** Throws not-found. */
    async hideLog(admin: Session, id: string): Promise<void> {
      await database.transaction(async (tx) => {
        const now = clock();
        const row = await store.shownLog(tx, id);
        if (!row || !(await store.hideLog(tx, id, now))) throw notFound('Log entry');
        await record(tx, now, {
          section: row.section,
          action: 'log.hidden',
          message: `A log entry was deleted: ${row.message}`,
          actor: actorOf(admin),
          subject: row.subject_id,
          details: { entry: row.id, date: new Date(row.created_at).toISOString() },
        });
      });
    },

    /** Throws conflict where it can't be done again. */
    async retryJob(admin: Session, id: string): Promise<void> {
      await database.transaction(async (tx) => {
        if (!(await queue.retry(tx, id))) throw conflict('This job can not be done again.');
        await record(tx, clock(), {
          section: 'system',
          action: 'job.retried',
          message: 'A failed job was started again.',
          actor: actorOf(admin),
          subject: id,
        });
      });
      queue.wake();
    },
  };
}
