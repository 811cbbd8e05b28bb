import { monotonicFactory } from 'ulid';
import { MINUTE, SECOND } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import type { Database, Executor, Tx } from '../db/port.ts';
import type { Events } from '../events/port.ts';
import type { Handler } from './handler.ts';
import { JobLanes } from './job-lanes.ts';
import { JobRunner } from './job-runner.ts';
import { releaseAllJobs } from './lease-store.ts';
import { QueueNotifications } from './queue-notifications.ts';
import * as store from './store.ts';
import type { JobState } from './tables.ts';

/** Milliseconds. */
export type QueueTimes = {
  poll: number;
  heartbeat: number;
  lease: number;
  backOff: number;
  /** How long a job waits when what it depends on is unavailable. */
  away: number;
};

const DEFAULT_QUEUE_TIMES: QueueTimes = {
  poll: SECOND,
  heartbeat: 10 * SECOND,
  lease: MINUTE / 2,
  backOff: 2 * SECOND,
  away: 10 * SECOND,
};

type Options = {
  database: Database;
  clock: Clock;
  /** Carries notifications to the other processes, and from them. */
  events: Events;
  /** Which kinds this process does; the other processes do the rest. */
  does?: (kind: string) => boolean;
  onError: (error: unknown, job: { id: string; kind: string }) => void;
  times?: Partial<QueueTimes>;
};

/**
 * Runs the jobs of the `jobs` table. Several processes may run one each over one database:
 * a lease, renewed by a heartbeat, says whose a job is, and its token fences late finishers off.
 */
export class Queue {
  private readonly database: Database;
  private readonly clock: Clock;
  private readonly times: QueueTimes;
  /** Jobs of one millisecond keep their order. */
  private readonly nextId = monotonicFactory();
  private readonly stopping = new AbortController();
  private readonly runner: JobRunner;
  private readonly lanes: JobLanes;
  private readonly notifications: QueueNotifications;
  private timer: ReturnType<typeof setInterval> | null = null;

  constructor({ database, clock, events, does = () => true, onError, times }: Options) {
    this.database = database;
    this.clock = clock;
    this.times = { ...DEFAULT_QUEUE_TIMES, ...times };
    const shared = { database, clock, times: this.times, stopping: this.stopping.signal, onError };
    this.runner = new JobRunner(shared);
    this.lanes = new JobLanes({ ...shared, does, runner: this.runner });
    this.notifications = new QueueNotifications(events, {
      added: () => this.lanes.wake(),
      cancelled: (subjects) => this.runner.abort(subjects),
    });
  }

  /** Says who does the jobs of a kind. Before `start`. */
  handle<Payload>(kind: string, handler: Handler<Payload>): void {
    this.lanes.add(kind, handler as Handler<unknown>);
  }

  /**
   * Adds a job in the transaction of the row it is about. Call `wake` once that is committed.
   * Owners of jobs of one kind take turns.
   */
  async add(
    tx: Executor,
    job: { kind: string; subject: string; owner?: string; payload: unknown; runAt?: number },
  ): Promise<void> {
    const now = this.clock();
    const { owner = null } = job;
    await store.insertJob(tx, {
      id: this.nextId(now).toLowerCase(),
      kind: job.kind,
      subject: job.subject,
      owner,
      turn: owner === null ? 0 : await store.turnOf(tx, job.kind, owner),
      payload: JSON.stringify(job.payload),
      runAt: job.runAt ?? now,
      now,
    });
  }

  /** Ends the jobs about a subject, running ones included, in the caller's transaction. */
  cancel(tx: Executor, subject: string) {
    return store.cancelJobs(tx, subject, this.clock());
  }

  /** How far the jobs about these subjects are, in per cent. */
  progressOf(subjects: string[]) {
    return store.progressOf(this.database.db, subjects);
  }

  /** The state of the newest job about a subject; 'retrying' has failed and waits for its next attempt. */
  async stateOf(subject: string): Promise<JobState | 'retrying' | null> {
    const row = await store.stateOf(this.database.db, subject);
    if (!row) return null;
    return row.state === 'queued' && row.attempts > 0 ? 'retrying' : row.state;
  }

  /** How far the newest job of a kind about a subject is, in per cent, and how many attempts it had. */
  workOn(kind: string, subject: string) {
    return store.workOn(this.database.db, kind, subject);
  }

  /** Ends at once what any process does about these subjects; call it after `cancel` is committed. */
  abort(subjects: string[]): void {
    this.runner.abort(subjects);
    this.notifications.cancelled(subjects);
  }

  /** Looks for new jobs, here and in the other processes. */
  wake(): void {
    this.lanes.wake();
    if (this.lanes.hasForeign()) this.notifications.added();
  }

  /** `isOnlyProcess`: no other process works on this database, so whatever is leased is a dead process'. */
  async start({ isOnlyProcess }: { isOnlyProcess: boolean }): Promise<void> {
    if (isOnlyProcess) await releaseAllJobs(this.database.db, this.clock());
    else this.lanes.doubtLeases();
    this.timer = setInterval(() => this.lanes.wake(), this.times.poll);
    this.lanes.wake();
  }

  /** How many jobs wait, run and have failed, by kind. */
  openCounts() {
    return store.openCounts(this.database.db);
  }

  /** Jobs in a state, the newest first. */
  inState(state: 'running' | 'failed', most: number) {
    return store.inState(this.database.db, state, most);
  }

  /**
   * Whether a failed job of this kind can be done again: what it was about is still there. A job
   * whose handler gives up can't, as another run would not undo what giving up has changed.
   */
  isRetryable({ kind, payload }: { kind: string; payload: string }): boolean {
    const handler = this.lanes.handlerOf(kind);
    return handler !== undefined && handler.giveUp === undefined && payload !== '';
  }

  /** Does a failed job again, in the caller's transaction; false where that can't be. */
  async retry(tx: Tx, id: string): Promise<boolean> {
    const job = await store.failedJob(tx, id);
    return job !== undefined && this.isRetryable(job) && store.retryJob(tx, id, this.clock());
  }

  /** Removes the rows of jobs that ended before this time, in epoch milliseconds. */
  forget(before: number) {
    return store.forgetJobs(this.database.db, before);
  }

  /** Stops taking jobs, aborts the running ones and gives them back. */
  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.notifications.stop();
    this.stopping.abort(new Error('the server is stopping'));
    await this.lanes.settle();
  }
}
