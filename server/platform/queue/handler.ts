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
  /** Which attempt this is, from 1. */
  number: number;
  /** Aborts when the lease is lost or the server stops. */
  signal: AbortSignal;
  /** Notes the progress in per cent, which pages and the API show. */
  report(percent: number): void;
};

export type Handler<Payload> = {
  /** How many of this kind run at once in this process. */
  concurrency: number;
  /**
   * Does the work and returns what to write with it: that runs in the transaction that
   * ends the job, so both happen or neither does. Throws a Failure, or anything
   * else to be tried again, a few times.
   */
  run(attempt: Attempt<Payload>): Promise<(tx: Tx) => Promise<void>>;
  /** Writes the consequences, in the transaction that gives the job up. */
  giveUp?(tx: Tx, attempt: { subject: string; payload: Payload }, reason: string): Promise<void>;
  /** Called after the result, or that the job is given up, has been committed. */
  settled?(attempt: { subject: string; payload: Payload }): Promise<void>;
};
