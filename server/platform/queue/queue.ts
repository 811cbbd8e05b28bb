import { monotonicFactory } from 'ulid';
import { MINUTE, SECOND } from '../../contract/limits.ts';
import { conflict } from '../../errors.ts';
import type { Clock } from '../clock.ts';
import type { Statement } from '../db/batch.ts';
import type { Database, Executor, Tx } from '../db/port.ts';
import type { Events } from '../events/port.ts';
import { firstInLine, listJobs, openCounts } from './counts-store.ts';
import { canUndoGiveUp, type Handler } from './handler.ts';
import { JobLanes } from './job-lanes.ts';
import { JobRunner } from './job-runner.ts';
import { releaseAllJobs } from './lease-store.ts';
import { type Place, placesOf } from './line.ts';
import { findLine } from './line-store.ts';
import { QueueNotifications } from './queue-notifications.ts';
import * as store from './store.ts';
import type { JobRow, JobState } from './tables.ts';

/** All times are milliseconds. */
export type QueueTimes = {
  pollIntervalMs: number;
  heartbeatIntervalMs: number;
  leaseMs: number;
  backOffMs: number;
  /** How long a job waits when something it depends on is unavailable. */
  unavailableDelayMs: number;
};

const DEFAULT_QUEUE_TIMES: QueueTimes = {
  pollIntervalMs: SECOND,
  heartbeatIntervalMs: 10 * SECOND,
  leaseMs: MINUTE / 2,
  backOffMs: 2 * SECOND,
  unavailableDelayMs: 10 * SECOND,
};

type NewJob = {
  kind: string;
  subject: string;
  owner?: string | null;
  payload: unknown;
  runAt?: number;
};

type Options = {
  database: Database;
  clock: Clock;
  /** Carries notifications between the processes. */
  events: Events;
  /** Whether this process runs jobs of a kind; other processes run the rest. By default it runs all. */
  does?: (kind: string) => boolean;
  onError: (error: unknown, job: { id: string; kind: string }) => void;
  times?: Partial<QueueTimes>;
};

/**
 * Runs the jobs of the `jobs` table. Several processes can each run a queue on one database. A lease, which
 * a heartbeat renews, tells which process runs a job, and its token keeps a process that lost the lease
 * from writing.
 */
export class Queue {
  private readonly database: Database;
  private readonly clock: Clock;
  private readonly times: QueueTimes;
  /** Keeps the order of jobs that are added in the same millisecond. */
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
      added: (kinds) => this.lanes.wake(kinds),
      cancelled: (subjects) => this.runner.abort(subjects),
    });
  }

  /** Registers the handler for a kind of job. Call it before `start`. */
  handle<Payload>(kind: string, handler: Handler<Payload>): void {
    this.lanes.add(kind, handler as Handler<unknown>);
  }

  /**
   * Adds a job in the transaction of the row it is about. Call `wake` after that transaction is committed.
   * Owners of jobs of one kind take turns.
   */
  async add(tx: Executor, job: NewJob): Promise<void> {
    await tx.executeQuery(this.addition(tx, job).query);
  }

  /** Returns the statement that adds a job in a batch. */
  addition(db: Executor, { kind, subject, owner = null, payload, runAt }: NewJob): Statement {
    const now = this.clock();
    return store.jobInsertion(db, {
      id: this.nextId(now).toLowerCase(),
      kind,
      subject,
      owner,
      payload: JSON.stringify(payload),
      runAt: runAt ?? now,
      now,
    });
  }

  /** Ends the jobs about these subjects in the caller's transaction, running jobs included. */
  cancel(tx: Executor, subjects: string[]) {
    return store.cancelJobs(tx, subjects, this.clock());
  }

  /** Returns how far the jobs about these subjects are, in per cent. */
  progressOf(subjects: string[]) {
    return store.progressOf(this.database.db, subjects);
  }

  /** Returns the places of what waits for jobs of these kinds, by subject, up to `MAX_IN_LINE` each. */
  async placesOf(kinds: string[]): Promise<Map<string, Place>> {
    const lines = await Promise.all(kinds.map((kind) => findLine(this.database.db, kind)));
    return new Map(lines.flatMap((line) => [...placesOf(line, this.clock())]));
  }

  /**
   * Returns the state of the newest job about a subject. 'retrying' means that it has failed and waits for
   * its next attempt.
   */
  async stateOf(subject: string): Promise<JobState | 'retrying' | null> {
    const row = await store.stateOf(this.database.db, subject);
    if (!row) return null;
    return row.state === 'queued' && row.attempts > 0 ? 'retrying' : row.state;
  }

  /** Whether a job about a subject waits or runs. */
  async isOpen(subject: string): Promise<boolean> {
    const state = await this.stateOf(subject);
    return state === 'queued' || state === 'retrying' || state === 'running';
  }

  /**
   * Returns the progress of the newest job of a kind about a subject in per cent, and its number of
   * attempts.
   */
  workOn(kind: string, subject: string) {
    return store.workOn(this.database.db, kind, subject);
  }

  /** Aborts running jobs about these subjects in every process. Call it after `cancel` is committed. */
  abort(subjects: string[]): void {
    this.runner.abort(subjects);
    this.notifications.cancelled(subjects);
  }

  /** Looks for new jobs of these kinds, in this process and in the others. */
  wake(...kinds: [string, ...string[]]): void {
    this.lanes.wake(kinds);
    this.notifications.added(this.lanes.foreign(kinds));
  }

  /**
   * Starts to run jobs.
   * @param options.isOnlyProcess no other process uses this database, so all leases are those of one that
   *   has died
   */
  async start({ isOnlyProcess }: { isOnlyProcess: boolean }): Promise<void> {
    if (isOnlyProcess) await releaseAllJobs(this.database.db, this.clock());
    else this.lanes.doubtLeases();
    this.timer = setInterval(() => this.poll(), this.times.pollIntervalMs);
    this.poll();
  }

  /** Looks for jobs that have become due and for new ones. The queue does so by itself, once a second. */
  poll(): void {
    this.lanes.poll();
  }

  /** Returns how many jobs are queued, running and failed, by kind, each up to `MAX_COUNTED`. */
  openCounts() {
    return openCounts(this.database.db);
  }

  /** Returns the id of the job that has been first in a line for longest; null where none waits. */
  firstInLine() {
    return firstInLine(this.database.db);
  }

  /** Returns at most `limit` jobs in a state, the newest first. */
  inState(state: 'running' | 'failed', limit: number) {
    return listJobs(this.database.db, state, limit);
  }

  /**
   * Whether a failed job can be retried, which needs its payload. A job whose handler has `giveUp` can't
   * be unless that can be undone.
   */
  isRetryable({ kind, payload }: { kind: string; payload: string }): boolean {
    const handler = this.lanes.handlerOf(kind);
    return handler !== undefined && canUndoGiveUp(handler) && payload !== '';
  }

  /** Queues a failed job again, in the caller's transaction. Returns its kind; null where it can't be retried. */
  async retry(tx: Tx, id: string): Promise<string | null> {
    return this.retryFailed(tx, await store.failedJob(tx, id));
  }

  /** Does the same for the newest failed job about a subject. */
  async retryAbout(tx: Tx, subject: string): Promise<string | null> {
    return this.retryFailed(tx, await store.failedJobAbout(tx, subject));
  }

  private async retryFailed(tx: Tx, job: JobRow | undefined): Promise<string | null> {
    if (!job || !this.isRetryable(job)) return null;
    const { kind, subject } = job;
    const payload: unknown = JSON.parse(job.payload);
    const undone = await this.lanes.handlerOf(kind)?.undoGiveUp?.(tx, { subject, payload });
    if (undone === false) return null;
    if (await store.retryJob(tx, job.id, this.clock())) return kind;
    // What was undone must not stay so without a job.
    throw conflict('The job is being retried already.');
  }

  /** Deletes the rows of jobs that ended before this time, in epoch milliseconds. */
  forget(before: number, signal: AbortSignal) {
    return store.forgetJobs(this.database.db, before, signal);
  }

  /** Stops taking jobs, aborts the running ones and gives them back to the queue. */
  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.notifications.stop();
    this.stopping.abort(new Error('the server is stopping'));
    await this.lanes.settle();
  }
}
