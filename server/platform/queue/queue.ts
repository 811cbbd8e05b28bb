import { monotonicFactory } from 'ulid';
import { MINUTE, SECOND } from '../../contract/limits.ts';
import { isAway } from '../../errors.ts';
import type { Clock } from '../clock.ts';
import type { Database, Executor, Tx } from '../db/port.ts';
import type { JobState } from '../db/tables.ts';
import type { Events } from '../events/port.ts';
import { newId } from '../ids.ts';
import { type Attempt, type Handler, PermanentFailure, Postponed } from './handler.ts';
import * as store from './store.ts';
import { createWord } from './word.ts';

export type QueueTimes = {
  poll: number;
  heartbeat: number;
  lease: number;
  backOff: number;
  /** How long a job waits when what it needs is away. */
  away: number;
};

const TIMES: QueueTimes = {
  poll: SECOND,
  heartbeat: 10 * SECOND,
  lease: MINUTE / 2,
  backOff: 2 * SECOND,
  away: 10 * SECOND,
};
const MAX_ATTEMPTS = 5;
const REPORT_EVERY = SECOND;

export type Queue = ReturnType<typeof createQueue>;

type Lane = { kind: string; handler: Handler<unknown>; running: Set<Promise<void>> };

class LeaseLost extends Error {
  override name = 'LeaseLost';
  override message = 'the lease was lost';
}

/**
 * Runs the jobs of the `jobs` table. Several processes may run one each over one database:
 * a lease, renewed by a heartbeat, says whose a job is, and its token fences late finishers off.
 */
export function createQueue(options: {
  database: Database;
  clock: Clock;
  /** Brings word to the other processes, and from them. */
  events: Events;
  /** Which kinds this process does; the others are for others. */
  does?: (kind: string) => boolean;
  onError: (error: unknown, job: { id: string; kind: string }) => void;
  times?: Partial<QueueTimes>;
}) {
  const { database, clock, events, onError, does = () => true } = options;
  const times = { ...TIMES, ...options.times };
  const lanes: Lane[] = [];
  // Jobs of one millisecond keep their order.
  const nextId = monotonicFactory();
  const doing = new Set<{ subject: string; lost: AbortController }>();
  const stopping = new AbortController();
  let timer: ReturnType<typeof setInterval> | null = null;
  let isAnswered = true;
  /** Before this, a lease that ran out does not tell that its holder is gone: nobody could renew it. */
  let doubtUntil = 0;

  const own = () => lanes.filter(({ kind }) => does(kind));
  const fillOwn = () => {
    for (const lane of own()) void fill(lane);
  };
  const abortOwn = (subjects: string[]) => {
    const ended = new Set(subjects);
    for (const { subject, lost } of doing) {
      if (ended.has(subject)) lost.abort(new Error('cancelled'));
    }
  };
  const word = createWord(events, { added: fillOwn, cancelled: abortOwn });

  const fill = async (lane: Lane) => {
    while (!stopping.signal.aborted && lane.running.size < lane.handler.concurrency) {
      const token = newId(clock());
      const now = clock();
      const taking = store.leaseJob(database, {
        kind: lane.kind,
        token,
        now,
        until: now + times.lease,
        expiry: now < doubtUntil ? 0 : now,
      });
      // Counts as running while it is being taken, so that two wakes don't overfill the lane.
      let settle = () => {};
      const slot = new Promise<void>((resolve) => {
        settle = resolve;
      });
      lane.running.add(slot);
      const free = () => {
        lane.running.delete(slot);
        settle();
      };
      const row = await taking.catch((error) => {
        // Said once, not every second for as long as the database is away.
        if (isAnswered || !isAway(error)) onError(error, { id: '', kind: lane.kind });
        isAnswered = !isAway(error);
        if (!isAnswered) doubtUntil = clock() + 2 * times.heartbeat;
        return undefined;
      });
      if (row !== undefined) isAnswered = true;
      if (!row) return free();
      void work(lane, row, token)
        .catch((error) => onError(error, row))
        .finally(() => {
          free();
          void fill(lane);
        });
    }
  };

  const work = async (
    lane: Lane,
    row: Awaited<ReturnType<typeof store.leaseJob>> & {},
    token: string,
  ) => {
    const held = { id: row.id, token };
    if (stopping.signal.aborted) return store.releaseJob(database.db, held, clock());
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
      signal: AbortSignal.any([lost.signal, stopping.signal]),
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
      const finish = await lane.handler.run(attempt);
      await patiently(attempt.signal, () =>
        database.transaction(async (tx) => {
          if (!(await store.finishJob(tx, held, clock()))) throw new LeaseLost();
          await finish(tx);
        }),
      );
      await lane.handler.settled?.(attempt);
    } catch (error) {
      if (lost.signal.aborted) return;
      if (stopping.signal.aborted) return await store.releaseJob(database.db, held, clock());
      // Perhaps to ourselves: the answer to what ended the job may not have arrived.
      if (error instanceof LeaseLost) return await lane.handler.settled?.(attempt);
      if (error instanceof Postponed || isAway(error)) {
        onError(error, row);
        const delay = error instanceof Postponed ? error.delay : times.away;
        return await store.releaseJob(database.db, held, clock() + delay);
      }
      await settleFailure(lane, row, held, attempt, error);
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
        if (signal.aborted || !isAway(error)) throw error;
        await Bun.sleep(times.poll);
      }
    }
  };

  const settleFailure = async (
    lane: Lane,
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
      const isLast = lane.handler.giveUp !== undefined;
      if (!(await store.failJob(tx, held, reason, clock(), isLast))) return false;
      await lane.handler.giveUp?.(tx, attempt, sentence);
      return true;
    });
    if (gaveUp) await lane.handler.settled?.(attempt);
  };

  /** What is given up has consequences that doing it again would not undo. */
  const isRetryable = ({ kind, payload }: { kind: string; payload: string }): boolean => {
    const handler = lanes.find((lane) => lane.kind === kind)?.handler;
    return handler !== undefined && handler.giveUp === undefined && payload !== '';
  };

  return {
    /** Says who does the jobs of a kind. Before `start`. */
    handle<Payload>(kind: string, handler: Handler<Payload>) {
      lanes.push({ kind, handler: handler as Handler<unknown>, running: new Set() });
    },

    /**
     * Adds a job in the transaction of the row it is about. Call `wake` once that is committed.
     * Owners of jobs of one kind take turns.
     */
    async add(
      tx: Executor,
      job: { kind: string; subject: string; owner?: string; payload: unknown; runAt?: number },
    ): Promise<void> {
      const now = clock();
      const { owner = null } = job;
      await store.insertJob(tx, {
        id: nextId(now).toLowerCase(),
        kind: job.kind,
        subject: job.subject,
        owner,
        turn: owner === null ? 0 : await store.turnOf(tx, job.kind, owner),
        payload: JSON.stringify(job.payload),
        runAt: job.runAt ?? now,
        now,
      });
    },

    /** Ends the jobs about a subject, running ones included, in the caller's transaction. */
    cancel: (tx: Executor, subject: string) => store.cancelJobs(tx, subject, clock()),

    progressOf: (subjects: string[]) => store.progressOf(database.db, subjects),

    /** Of the newest job about a subject; 'retrying' has failed and waits for its next attempt. */
    async stateOf(subject: string): Promise<JobState | 'retrying' | null> {
      const row = await store.stateOf(database.db, subject);
      if (!row) return null;
      return row.state === 'queued' && row.attempts > 0 ? 'retrying' : row.state;
    },

    /** How far the newest job of a kind about a subject is, in per cent, and how often it was begun. */
    workOn: (kind: string, subject: string) => store.workOn(database.db, kind, subject),

    /** Ends at once what any process does about these subjects; call it after `cancel` is committed. */
    abort(subjects: string[]) {
      abortOwn(subjects);
      word.cancelled(subjects);
    },

    /** There are new jobs. */
    wake() {
      fillOwn();
      if (own().length < lanes.length) word.added();
    },

    /** `alone`: no other process works on this database, so whatever is leased is a dead process'. */
    async start({ alone }: { alone: boolean }) {
      if (alone) await store.releaseAll(database.db, clock());
      else doubtUntil = clock() + 2 * times.heartbeat;
      timer = setInterval(fillOwn, times.poll);
      fillOwn();
    },

    /** How many wait, run and have failed, by kind. */
    openCounts: () => store.openCounts(database.db),

    /** Jobs in a state, the newest first. */
    inState: (state: 'running' | 'failed', most: number) => store.inState(database.db, state, most),

    /** Whether a failed job of this kind can be done again: what it was about is still there. */
    isRetryable,

    /** Does a failed job again, in the caller's transaction; false where that can't be. */
    async retry(tx: Tx, id: string): Promise<boolean> {
      const job = await store.failedJob(tx, id);
      return job !== undefined && isRetryable(job) && store.retryJob(tx, id, clock());
    },

    forget: (before: number) => store.forgetJobs(database.db, before),

    /** Stops taking jobs, aborts the running ones and gives them back. */
    async stop() {
      if (timer) clearInterval(timer);
      word.stop();
      stopping.abort(new Error('the server is stopping'));
      await Promise.all(lanes.flatMap((lane) => [...lane.running]));
    },
  };
}
