import { monotonicFactory } from 'ulid';
import { isUnavailable } from '../../errors.ts';
import type { Clock } from '../clock.ts';
import type { Database, Executor, Tx } from '../db/port.ts';
import type { JobState } from '../db/tables.ts';
import type { Events } from '../events/port.ts';
import { newId } from '../ids.ts';
import type { Handler } from './handler.ts';
import { createJobRunner } from './job-runner.ts';
import { createQueueNotifications } from './queue-notifications.ts';
import { DEFAULT_QUEUE_TIMES, type QueueTimes } from './retry-schedule.ts';
import * as store from './store.ts';

export type Queue = ReturnType<typeof createQueue>;

type Lane = {
  kind: string;
  handler: Handler<unknown>;
  running: Set<Promise<void>>;
  /** How often there was word of new jobs. */
  calls: number;
};

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
  const times = { ...DEFAULT_QUEUE_TIMES, ...options.times };
  const lanes: Lane[] = [];
  // Jobs of one millisecond keep their order.
  const nextId = monotonicFactory();
  const stopping = new AbortController();
  const { work, abort } = createJobRunner({
    database,
    clock,
    times,
    stopping: stopping.signal,
    onError,
  });
  let timer: ReturnType<typeof setInterval> | null = null;
  let isAnswered = true;
  /** Before this, a lease that ran out does not tell that its holder is gone: nobody could renew it. */
  let doubtUntil = 0;

  const own = () => lanes.filter(({ kind }) => does(kind));
  const fillOwn = () => {
    for (const lane of own()) {
      lane.calls += 1;
      void fill(lane);
    }
  };
  const word = createQueueNotifications(events, { added: fillOwn, cancelled: abort });

  const fill = async (lane: Lane) => {
    while (!stopping.signal.aborted && lane.running.size < lane.handler.concurrency) {
      const token = newId(clock());
      const now = clock();
      const { calls } = lane;
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
        if (isAnswered || !isUnavailable(error)) onError(error, { id: '', kind: lane.kind });
        isAnswered = !isUnavailable(error);
        if (!isAnswered) doubtUntil = clock() + 2 * times.heartbeat;
        return undefined;
      });
      if (row !== undefined) isAnswered = true;
      if (!row) {
        free();
        // What was added while it looked may have come too late for it to see.
        if (lane.calls !== calls) continue;
        return;
      }
      void work(lane.handler, row, token)
        .catch((error) => onError(error, row))
        .finally(() => {
          free();
          void fill(lane);
        });
    }
  };

  /** What is given up has consequences that doing it again would not undo. */
  const isRetryable = ({ kind, payload }: { kind: string; payload: string }): boolean => {
    const handler = lanes.find((lane) => lane.kind === kind)?.handler;
    return handler !== undefined && handler.giveUp === undefined && payload !== '';
  };

  return {
    /** Says who does the jobs of a kind. Before `start`. */
    handle<Payload>(kind: string, handler: Handler<Payload>) {
      lanes.push({ kind, handler: handler as Handler<unknown>, running: new Set(), calls: 0 });
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
      abort(subjects);
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
