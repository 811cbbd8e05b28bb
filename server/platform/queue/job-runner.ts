import { Failure, isPermanent } from '../../contract/failure.ts';
import { retryWhileUnavailable } from '../../contract/retry-while-unavailable.ts';
import type { Clock } from '../clock.ts';
import { runStatements } from '../db/batch.ts';
import type { Database, Tx } from '../db/port.ts';
import {
  type Attempt,
  canUndoGiveUp,
  type Handler,
  LeaseLostError,
  PostponedError,
  type Writes,
} from './handler.ts';
import { Heartbeat } from './heartbeat.ts';
import * as leases from './lease-store.ts';
import type { QueueTimes } from './queue.ts';

/** A job that has failed so often is given up. */
export const MAX_ATTEMPTS = 5;
/** A job that takes its process down with it must not do so for ever. */
const MAX_INTERRUPTIONS = 10;
/** Jobs that are postponed together come back apart, by up to this share of their delay. */
const JITTER = 0.5;

export type LeasedJob = NonNullable<Awaited<ReturnType<typeof leases.leaseJob>>>;

/** One attempt of a leased job, with all that is needed to write its outcome. */
type RunningJob = {
  handler: Handler<unknown>;
  row: LeasedJob;
  lease: { id: string; token: string };
  attempt: Attempt<unknown>;
  /** Aborts when others get their turn. */
  turn: AbortSignal;
};

/** The process has ended too often while it ran a job. */
class InterruptedError extends Failure {
  override name = 'InterruptedError';
  constructor() {
    super('Processing was interrupted too many times.', { retry: 'limited' });
  }
}

/**
 * Runs leased jobs. It renews their leases, writes a result together with the end of its job, and decides
 * what a failure means.
 */
export class JobRunner {
  private readonly running = new Set<{ subject: string; aborter: AbortController }>();

  constructor(
    private readonly deps: {
      database: Database;
      clock: Clock;
      times: QueueTimes;
      /** When it aborts, running jobs are given back to the queue. */
      stopping: AbortSignal;
      onError: (error: unknown, job: { id: string; kind: string }) => void;
    },
  ) {}

  /** Makes one attempt of a job that is leased under `token`, and writes its outcome. */
  async work(handler: Handler<unknown>, row: LeasedJob, token: string): Promise<void> {
    const { database, clock, stopping, onError } = this.deps;
    const lease = { id: row.id, token };
    if (stopping.aborted) return leases.releaseJob(database.db, lease, clock());
    const payload: unknown = JSON.parse(row.payload);
    const aborter = new AbortController();
    const entry = { subject: row.subject, aborter };
    this.running.add(entry);
    const heartbeat = new Heartbeat({
      ...this.deps,
      lease,
      aborter,
      onError: (error) => onError(error, row),
    });
    const turn = turnOf(handler);
    const attempt: Attempt<unknown> = {
      subject: row.subject,
      payload,
      number: row.attempts,
      isFirst: row.attempts === 1 && row.interruptions === 0,
      signal: AbortSignal.any([aborter.signal, stopping, turn]),
      report: (percent) => heartbeat.report(percent),
      onRenewal: (extend) => heartbeat.onRenewal(extend),
      transaction: (write) =>
        database.transaction(async (tx) => {
          const result = await write(tx);
          await runStatements(tx, [heartbeat.extension(tx)]);
          return result;
        }),
      batch: (statements) => database.batch([...statements, heartbeat.extension(database.db)]),
    };
    const job = { handler, row, lease, attempt, turn };
    try {
      await this.run(job);
    } catch (error) {
      if (!aborter.signal.aborted) await this.settleError(job, error);
    } finally {
      heartbeat.stop();
      this.running.delete(entry);
    }
  }

  /** Aborts the running jobs about these subjects. */
  abort(subjects: string[]): void {
    const subjectSet = new Set(subjects);
    for (const { subject, aborter } of this.running) {
      if (subjectSet.has(subject)) aborter.abort(new Error('cancelled'));
    }
  }

  private async run({ handler, row, lease, attempt }: RunningJob): Promise<void> {
    const { isKept = false } = handler;
    // A job with turns gets further in each run, so that it can't be the reason for ever.
    if (row.interruptions >= MAX_INTERRUPTIONS && handler.turnMs === undefined) {
      throw new InterruptedError();
    }
    const writes = await handler.run(attempt);
    await this.end(attempt.signal, () => this.write(writes, lease, isKept));
    await handler.finished?.(attempt);
  }

  private async write(writes: Writes, lease: leases.Lease, isKept: boolean): Promise<void> {
    const { database, clock } = this.deps;
    const end = { now: clock(), isKept };
    const completion = leases.completion(database.db, lease, end, newLeaseLost);
    // The job's row is locked last, as by the deletion of what the job is about: in the other order, the
    // two could deadlock.
    if ('statements' in writes) {
      await database.batch([...(await writes.statements()), completion]);
      return;
    }
    await database.transaction(async (tx) => {
      await writes(tx);
      await runStatements(tx, [completion]);
    });
  }

  /**
   * Ends a job together with what it has written, as soon as the database is available: a restart must not
   * cost the result of an hour's work. Throws LeaseLostError.
   */
  private async end(signal: AbortSignal, commit: () => Promise<void>): Promise<void> {
    await retryWhileUnavailable(commit, { signal, intervalMs: this.deps.times.pollIntervalMs });
  }

  private async settleError(job: RunningJob, error: unknown): Promise<void> {
    const { database, clock, stopping } = this.deps;
    const { handler, row, lease, attempt, turn } = job;
    if (stopping.aborted) return leases.releaseJob(database.db, lease, clock());
    if (turn.aborted && error === turn.reason) return leases.endTurn(database, row, lease, clock());
    // This process may have ended the job itself, in a transaction whose answer was lost.
    if (error instanceof LeaseLostError) return handler.finished?.(attempt);
    if (error instanceof Failure && error.retry === 'background' && handler.background) {
      return leases.moveJob(database, { ...lease, owner: row.owner }, handler.background, clock());
    }
    if (error instanceof Failure && error.retry === 'later') {
      const { times, onError } = this.deps;
      onError(error, row);
      const delay = error instanceof PostponedError ? error.delay : times.unavailableDelayMs;
      const jitter = Math.ceil(delay * JITTER * Math.random());
      const reason = String(error.cause ?? error);
      return leases.releaseJob(database.db, lease, clock() + delay + jitter, reason);
    }
    await this.settleFailure(job, error);
  }

  private async settleFailure(job: RunningJob, error: unknown): Promise<void> {
    const { database, clock, times, onError } = this.deps;
    const { handler, row, lease, attempt } = job;
    const isFinal = isPermanent(error);
    const isExplained = isFinal || error instanceof InterruptedError;
    const reason = isExplained ? error.message : String(error);
    onError(error, row);
    if (!isExplained && row.attempts < MAX_ATTEMPTS) {
      const delay = times.backOffMs * 4 ** (row.attempts - 1);
      await leases.requeueJob(database.db, lease, reason, clock() + delay);
      return;
    }
    const sentence = isExplained ? reason : 'Processing failed several times.';
    const isLast = isFinal ? handler.giveUp !== undefined : !canUndoGiveUp(handler);
    const giveUp = async (tx: Tx) => {
      await handler.giveUp?.(tx, attempt, { reason: sentence, isPermanent: isFinal });
      if (!(await leases.failJob(tx, lease, reason, clock(), isLast))) throw newLeaseLost();
    };
    try {
      await this.end(attempt.signal, () => database.transaction(giveUp));
    } catch (failure) {
      if (failure instanceof LeaseLostError) return;
      throw failure;
    }
    await handler.finished?.(attempt);
  }
}

const newLeaseLost = () => new LeaseLostError();

/** Returns a signal that aborts when the turn of a job is over. */
const turnOf = ({ turnMs }: Handler<unknown>): AbortSignal =>
  turnMs === undefined ? new AbortController().signal : AbortSignal.timeout(turnMs);
