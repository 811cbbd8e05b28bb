import { Failure } from '../../contract/failure.ts';
import type { Tx } from '../db/port.ts';

/**
 * What the job depends on is unavailable. The job runs again after `delay` milliseconds, and this
 * attempt does not count.
 */
export class Postponed extends Failure {
  override name = 'Postponed';
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
  /** Aborts when the lease is lost, the server stops or the turn of the job is over. */
  signal: AbortSignal;
  /** Reports the progress in per cent, which pages and the API show. */
  report(percent: number): void;
};

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
  /** The kind of job that a job becomes whose run fails with the retry `background`. */
  background?: string;
  /**
   * Does the work and returns what to write with it. That function runs in the transaction that ends the
   * job, so that both happen or neither does. Throws a Failure, or anything else to be retried a few times.
   */
  run(attempt: Attempt<Payload>): Promise<(tx: Tx) => Promise<void>>;
  /** Writes the consequences of giving the job up, in the same transaction. */
  giveUp?(tx: Tx, attempt: { subject: string; payload: Payload }, reason: string): Promise<void>;
  /** Called after the result, or the giving up of the job, is committed. */
  finished?(attempt: { subject: string; payload: Payload }): Promise<void>;
};
