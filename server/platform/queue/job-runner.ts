import { Failure, isPermanent } from '../../contract/failure.ts';
import { isUnavailable } from '../../errors.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/port.ts';
import { type Attempt, type Handler, Postponed } from './handler.ts';
import { Heartbeat } from './heartbeat.ts';
import * as leases from './lease-store.ts';
import type { QueueTimes } from './queue.ts';

const MAX_ATTEMPTS = 5;

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

class LeaseLostError extends Error {
  override name = 'LeaseLostError';
  override message = 'the lease was lost';
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
      signal: AbortSignal.any([aborter.signal, stopping, turn]),
      report: (percent) => heartbeat.report(percent),
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
    const { database, clock } = this.deps;
    const { isKept = false } = handler;
    // A job with turns gets further in each attempt, so that a crash can't be its fault for ever.
    if (row.attempts > MAX_ATTEMPTS && handler.turnMs === undefined) {
      throw new Failure('Processing was interrupted too many times.', { retry: 'never' });
    }
    const finish = await handler.run(attempt);
    await this.retryWhileUnavailable(attempt.signal, () =>
      database.transaction(async (tx) => {
        // The job's row is locked last, as by the deletion of what the job is about: in the other
        // order, the two could deadlock.
        await finish(tx);
        if (!(await leases.finishJob(tx, lease, clock(), isKept))) throw new LeaseLostError();
      }),
    );
    await handler.finished?.(attempt);
  }

  /**
   * Repeats a write while the database is unavailable, because a restart must not cost the result of an
   * hour's work.
   */
  private async retryWhileUnavailable(
    signal: AbortSignal,
    write: () => Promise<void>,
  ): Promise<void> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (signal.aborted || !isUnavailable(error)) throw error;
        await Bun.sleep(this.deps.times.pollIntervalMs);
      }
    }
  }

  private async settleError(job: RunningJob, error: unknown): Promise<void> {
    const { database, clock, times, stopping, onError } = this.deps;
    const { handler, row, lease, attempt, turn } = job;
    if (stopping.aborted) return leases.releaseJob(database.db, lease, clock());
    if (turn.aborted && error === turn.reason) return leases.endTurn(database, row, lease, clock());
    // This process may have ended the job itself, in a transaction whose answer was lost.
    if (error instanceof LeaseLostError) return handler.finished?.(attempt);
    if (error instanceof Failure && error.retry === 'background' && handler.background) {
      return leases.moveJob(database, { ...lease, owner: row.owner }, handler.background, clock());
    }
    if (error instanceof Failure && error.retry === 'later') {
      onError(error, row);
      const delay = error instanceof Postponed ? error.delay : times.unavailableDelayMs;
      return leases.releaseJob(database.db, lease, clock() + delay);
    }
    await this.settleFailure(job, error);
  }

  private async settleFailure(job: RunningJob, error: unknown): Promise<void> {
    const { database, clock, times, onError } = this.deps;
    const { handler, row, lease, attempt } = job;
    const isFinal = isPermanent(error);
    const reason = isFinal ? error.message : String(error);
    onError(error, row);
    if (!isFinal && row.attempts < MAX_ATTEMPTS) {
      const delay = times.backOffMs * 4 ** (row.attempts - 1);
      await leases.requeueJob(database.db, lease, reason, clock() + delay);
      return;
    }
    const sentence = isFinal ? reason : 'Processing failed several times.';
    const isLast = handler.giveUp !== undefined;
    try {
      await database.transaction(async (tx) => {
        await handler.giveUp?.(tx, attempt, sentence);
        if (!(await leases.failJob(tx, lease, reason, clock(), isLast))) throw new LeaseLostError();
      });
    } catch (failure) {
      if (failure instanceof LeaseLostError) return;
      throw failure;
    }
    await handler.finished?.(attempt);
  }
}

/** Returns a signal that aborts when the turn of a job is over. */
const turnOf = ({ turnMs }: Handler<unknown>): AbortSignal =>
  turnMs === undefined ? new AbortController().signal : AbortSignal.timeout(turnMs);
