import { SECOND } from '../../contract/limits.ts';
import { isUnavailable } from '../../errors.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/port.ts';
import { type Attempt, type Handler, PermanentFailure, Postponed } from './handler.ts';
import type { QueueTimes } from './retry-schedule.ts';
import * as store from './store.ts';

const MAX_ATTEMPTS = 5;
const REPORT_EVERY = SECOND;

type Leased = NonNullable<Awaited<ReturnType<typeof store.leaseJob>>>;

class LeaseLost extends Error {
  override name = 'LeaseLost';
  override message = 'the lease was lost';
}

/**
 * Does jobs that were leased: renews the lease by a heartbeat, writes a result and the end of its job
 * together, and decides what a failure means.
 */
export function createJobRunner(options: {
  database: Database;
  clock: Clock;
  times: QueueTimes;
  /** Gives what is being done back. */
  stopping: AbortSignal;
  onError: (error: unknown, job: { id: string; kind: string }) => void;
}) {
  const { database, clock, times, stopping, onError } = options;
  const doing = new Set<{ subject: string; lost: AbortController }>();

  const work = async (handler: Handler<unknown>, row: Leased, token: string) => {
    const held = { id: row.id, token };
    if (stopping.aborted) return store.releaseJob(database.db, held, clock());
    const payload: unknown = JSON.parse(row.payload);
    const lost = new AbortController();
    const mine = { subject: row.subject, lost };
    doing.add(mine);
    let progress = 0;
    let reportedAt = 0;
    const beat = async () => {
      const alive = await store.extendLease(
        database.db,
        held,
        clock() + times.lease,
        Math.floor(progress),
      );
      if (!alive) lost.abort(new Error('the lease was lost'));
    };
    const heartbeat = setInterval(
      () => void beat().catch((error) => onError(error, row)),
      times.heartbeat,
    );
    const attempt: Attempt<unknown> = {
      subject: row.subject,
      payload,
      number: row.attempts,
      signal: AbortSignal.any([lost.signal, stopping]),
      report(percent) {
        progress = percent;
        if (clock() - reportedAt < REPORT_EVERY) return;
        reportedAt = clock();
        void beat().catch((error) => onError(error, row));
      },
    };
    try {
      if (row.attempts > MAX_ATTEMPTS) {
        throw new PermanentFailure('Processing was interrupted too many times.');
      }
      const finish = await handler.run(attempt);
      await patiently(attempt.signal, () =>
        database.transaction(async (tx) => {
          if (!(await store.finishJob(tx, held, clock()))) throw new LeaseLost();
          await finish(tx);
        }),
      );
      await handler.settled?.(attempt);
    } catch (error) {
      if (lost.signal.aborted) return;
      if (stopping.aborted) return await store.releaseJob(database.db, held, clock());
      // Perhaps to ourselves: the answer to what ended the job may not have arrived.
      if (error instanceof LeaseLost) return await handler.settled?.(attempt);
      if (error instanceof Postponed || isUnavailable(error)) {
        onError(error, row);
        const delay = error instanceof Postponed ? error.delay : times.away;
        return await store.releaseJob(database.db, held, clock() + delay);
      }
      await settleFailure(handler, row, held, attempt, error);
    } finally {
      clearInterval(heartbeat);
      doing.delete(mine);
    }
  };

  /** Done again while the database is away: its restart must not cost what took an hour. */
  const patiently = async (signal: AbortSignal, write: () => Promise<void>): Promise<void> => {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (signal.aborted || !isUnavailable(error)) throw error;
        await Bun.sleep(times.poll);
      }
    }
  };

  const settleFailure = async (
    handler: Handler<unknown>,
    row: { id: string; kind: string; attempts: number },
    held: { id: string; token: string },
    attempt: Attempt<unknown>,
    error: unknown,
  ) => {
    const permanent = error instanceof PermanentFailure;
    const reason = permanent ? error.reason : String(error);
    onError(error, row);
    if (!permanent && row.attempts < MAX_ATTEMPTS) {
      const delay = times.backOff * 4 ** (row.attempts - 1);
      await store.requeueJob(database.db, held, reason, clock() + delay);
      return;
    }
    const sentence = permanent ? reason : 'Processing failed several times.';
    const gaveUp = await database.transaction(async (tx) => {
      const isLast = handler.giveUp !== undefined;
      if (!(await store.failJob(tx, held, reason, clock(), isLast))) return false;
      await handler.giveUp?.(tx, attempt, sentence);
      return true;
    });
    if (gaveUp) await handler.settled?.(attempt);
  };

  return {
    work,

    /** Ends at once what is being done about these subjects. */
    abort(subjects: string[]) {
      const ended = new Set(subjects);
      for (const { subject, lost } of doing) {
        if (ended.has(subject)) lost.abort(new Error('cancelled'));
      }
    },
  };
}
