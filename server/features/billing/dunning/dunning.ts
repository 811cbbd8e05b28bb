import { DAY } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Executor, Tx } from '../../../platform/db/port.ts';
import type { LedgerAccountRow } from '../../../platform/db/tables-billing.ts';
import type { Events } from '../../../platform/events/port.ts';
import type { MailQueue } from '../../../platform/mail/enqueue-mail.ts';
import type { Queue } from '../../../platform/queue/queue.ts';
import { BUCKET_EVENTS, type Buckets } from '../../buckets/service.ts';
import { hold } from '../ledger/ledger.ts';
import { dunningMail } from './dunning-mails.ts';
import { type Decision, decideDunning, GRACE_PERIOD_MS } from './dunning-rules.ts';
import * as store from './dunning-store.ts';

/** Accounts looked at between two questions for more. */
const AT_ONCE = 100;

/** What becomes of accounts whose balance runs out: mails, suspension, and in the end deletion. */
export function createDunning(options: {
  database: Database;
  clock: Clock;
  events: Events;
  queue: Queue;
  post: MailQueue;
  buckets: Pick<Buckets, 'suspendAll' | 'resumeAll' | 'suspended' | 'stop'>;
  /** Where to write to a user; null where nobody is to be written to. */
  addressOf: (db: Executor, userId: string) => Promise<string | null>;
  takesPayments: boolean;
  appUrl: string;
  onError: (error: unknown) => void;
}) {
  const { database, clock, events, queue, post, buckets, takesPayments } = options;
  const { db } = database;

  const tell = async (tx: Tx, to: string, { notice, standing }: Decision) => {
    if (!notice) return;
    const now = clock();
    const mail = await dunningMail(notice, {
      to,
      appUrl: options.appUrl,
      takesPayments,
      deliveredUntil: (standing.below_since ?? now) + GRACE_PERIOD_MS,
      deletedAt: standing.delete_at ?? now,
    });
    await post(tx, mail);
  };

  /** Answers the buckets whose status has changed. */
  const carryOut = async (
    tx: Tx,
    account: LedgerAccountRow,
    { buckets: what, standing }: Decision,
  ) => {
    const { user_id } = account;
    if (what === 'resume') return buckets.resumeAll(tx, user_id);
    const suspended = await buckets.suspendAll(tx, user_id, standing.below_since ?? clock());
    if (what === 'suspend') return suspended;
    const doomed = await buckets.suspended(tx, user_id);
    for (const id of doomed) {
      await buckets.stop(tx, id, 'system');
      await queue.add(tx, { kind: 'delete-bucket', subject: id, payload: {} });
    }
    return doomed;
  };

  const review = async (userId: string): Promise<void> => {
    const changed = await database.transaction(async (tx) => {
      const account = await hold(tx, userId);
      if (account.closed_at !== null) return [];
      const decision = decideDunning(account, clock(), takesPayments);
      const to = await options.addressOf(tx, userId);
      if (to === null && account.below_since !== null && decision.notice !== null) {
        // Nobody's files go without their owner having been told.
        await store.setDunningState(tx, userId, { review_at: clock() + DAY });
        return [];
      }
      await store.setDunningState(tx, userId, decision.standing);
      if (to !== null) await tell(tx, to, decision);
      return carryOut(tx, account, decision);
    });
    queue.wake();
    for (const bucketId of changed) await events.publish(BUCKET_EVENTS, { bucketId });
  };

  return {
    /** Looks at an account at once, as after a payment, which makes its buckets run again. */
    review,

    /** Whether there is a way to pay may have changed since accounts were looked at. */
    start: () => store.markDoubtful(db),

    /** Looks at every account that it is time to look at; one that fails holds no other up. */
    async round(): Promise<void> {
      const now = clock();
      for (let after = ''; ; ) {
        const due = await store.findDueAccounts(db, now, after, AT_ONCE);
        for (const userId of due) await review(userId).catch(options.onError);
        const last = due.at(-1);
        if (last === undefined || due.length < AT_ONCE) return;
        after = last;
      }
    },
  };
}
