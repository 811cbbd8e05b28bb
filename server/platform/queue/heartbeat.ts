import { SECOND } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/port.ts';
import * as leases from './lease-store.ts';
import type { QueueTimes } from './queue.ts';

const REPORT_INTERVAL_MS = SECOND;

/** Renews the lease of a running job, and writes its progress with every renewal. */
export class Heartbeat {
  private readonly timer: ReturnType<typeof setInterval>;
  private progress = 0;
  private reportedAt = 0;

  /** @param deps.lost aborted once another process holds the lease */
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

  stop(): void {
    clearInterval(this.timer);
  }

  private beat(): void {
    void this.extendLease().catch(this.deps.onError);
  }

  private async extendLease(): Promise<void> {
    const { database, clock, times, lease, aborter } = this.deps;
    const until = clock() + times.leaseMs;
    const isOurs = await leases.extendLease(database.db, lease, until, Math.floor(this.progress));
    if (!isOurs) aborter.abort(new Error('the lease was lost'));
  }
}
