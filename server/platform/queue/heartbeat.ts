import { SECOND } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
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

  /** Renews the lease, and returns whether this process still has it. */
  async extendLease(db: Executor): Promise<boolean> {
    const { clock, times, lease, aborter } = this.deps;
    const until = clock() + times.leaseMs;
    const isOurs = await leases.extendLease(db, lease, until, Math.floor(this.progress));
    if (!isOurs) aborter.abort(new LeaseLostError());
    return isOurs;
  }

  private beat(): void {
    void this.renew().catch(this.deps.onError);
  }

  private async renew(): Promise<void> {
    if (await this.extendLease(this.deps.database.db)) await this.extendMore();
  }
}
