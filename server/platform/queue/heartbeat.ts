import { SECOND } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import type { Statement } from '../db/batch.ts';
import type { Database, Executor } from '../db/port.ts';
import { LeaseLostError } from './handler.ts';
import * as leases from './lease-store.ts';
import type { QueueTimes } from './queue.ts';

const REPORT_INTERVAL_MS = SECOND;

/** Renews the lease of a running job, and writes its progress with every renewal. */
export class Heartbeat {
  private readonly timer: ReturnType<typeof setInterval>;
  private progress = 0;
  private reportedAt = 0;
  private extendMore = async () => {};

  /** @param deps.aborter aborted once another process holds the lease */
  constructor(
    private readonly deps: {
      database: Database;
      clock: Clock;
      times: QueueTimes;
      lease: { id: string; token: string };
      aborter: AbortController;
      onError: (error: unknown) => void;
    },
  ) {
    this.timer = setInterval(() => this.beat(), deps.times.heartbeatIntervalMs);
  }

  /** Notes the progress in per cent, and writes it at most once a second. */
  report(percent: number): void {
    const { clock } = this.deps;
    this.progress = percent;
    if (clock() - this.reportedAt < REPORT_INTERVAL_MS) return;
    this.reportedAt = clock();
    this.beat();
  }

  /** Sets what else every renewal extends. */
  onRenewal(extend: () => Promise<void>): void {
    this.extendMore = extend;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Returns the statement that renews the lease. It throws LeaseLostError where another process has it. */
  extension(db: Executor): Statement {
    const { clock, times, lease, aborter } = this.deps;
    const until = clock() + times.leaseMs;
    return leases.extension(db, lease, { until, progress: Math.floor(this.progress) }, () => {
      const error = new LeaseLostError();
      aborter.abort(error);
      return error;
    });
  }

  private beat(): void {
    void this.renew().catch(this.deps.onError);
  }

  private async renew(): Promise<void> {
    const { database, aborter } = this.deps;
    await database.batch([this.extension(database.db)]).catch((error) => {
      if (!(error instanceof LeaseLostError)) throw error;
    });
    if (!aborter.signal.aborted) await this.extendMore();
  }
}
