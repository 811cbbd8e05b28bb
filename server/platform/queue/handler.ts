import { Failure } from '../../contract/failure.ts';
import type { Statement } from '../db/batch.ts';
import type { Tx } from '../db/port.ts';

/**
 * What the job depends on is unavailable. The job runs again after `delay` milliseconds, and this
 * attempt does not count.
 */
export class PostponedError extends Failure {
  override name = 'PostponedError';
  constructor(
    readonly delay: number,
    cause: unknown,
  ) {
    super(`postponed: ${cause}`, { retry: 'later', cause });
  }
}

export type Attempt<Payload> = {
  subject: string;
  payload: Payload;
  /** The number of this attempt, from 1. */
  number: number;
  /** Whether no run of the job has been counted or interrupted before. One may have given the job back. */
  isFirst: boolean;
  /** Aborts when the lease is lost, the server stops or the turn of the job is over. */
  signal: AbortSignal;
  /** Reports the progress in per cent, which pages and the API show. */
  report(percent: number): void;
  /**
   * Runs a transaction, which is undone where another process has the lease by its end. A process that was
   * paused could otherwise undo what its successor has written. Throws LeaseLostError.
   */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** Runs a batch in the same way. */
  batch(statements: Statement[]): Promise<unknown>;
  /** Sets what else is extended whenever the lease is. */
  onRenewal(extend: () => Promise<void>): void;
};

/** Another process has the lease of a job, or the job has ended. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError';
  override message = 'the lease was lost';
}

/** Why a job is given up. `isPermanent` where another run would fail in the same way. */
export type GivingUp = { reason: string; isPermanent: boolean };

/**
 * What a job writes with its end. `statements` is called for each try, as the statements may name the time.
 */
export type Writes = ((tx: Tx) => Promise<void>) | { statements: () => Promise<Statement[]> };

type EndedJob<Payload> = { subject: string; payload: Payload };

export type Handler<Payload> = {
  /** How many jobs of this kind run at the same time in this process. */
  concurrency: number;
  /**
   * After this time the signal of a run aborts, and the job is queued again behind those of other owners.
   * It runs as often as it needs, so what a run has done must not be done again.
   */
  turnMs?: number;
  /**
   * Whether the row of a job that has succeeded stays for some days, as a page shows it. Otherwise it is
   * deleted with the job's end.
   */
  isKept?: boolean;
  /**
   * After so many milliseconds a job no longer counts towards `concurrency`, so that what its work waits for
   * learns who else waits. As many jobs as `concurrency` can be so slow.
   */
  slowAfterMs?: number;
  /** The kind of job that a job becomes whose run fails with the retry `background`. */
  background?: string;
  /**
   * Does the work and returns what to write with it: a function that runs in the transaction which ends the job,
   * or statements for a batch, so that both happen or neither does. Throws a Failure, or anything else to be
   * retried a few times.
   */
  run(attempt: Attempt<Payload>): Promise<Writes>;
  /** Writes the consequences of giving the job up, in the same transaction. */
  giveUp?(tx: Tx, job: EndedJob<Payload>, why: GivingUp): Promise<void>;
  /**
   * Reverts `giveUp` in the transaction that queues the job again. Returns false, and changes nothing, where
   * that is not possible. Without it, a job whose handler has `giveUp` can't be retried.
   */
  undoGiveUp?(tx: Tx, job: EndedJob<Payload>): Promise<boolean>;
  /** Called after the result, or the giving up of the job, is committed. */
  finished?(job: EndedJob<Payload>): Promise<void>;
};

/** Whether nothing stays of giving a job up when it is retried. */
export const canUndoGiveUp = ({ giveUp, undoGiveUp }: Handler<unknown>): boolean =>
  giveUp === undefined || undoGiveUp !== undefined;
