import { isUnavailable } from '../../errors.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/port.ts';
import { newId } from '../ids.ts';
import { findDueKinds, markDueJobs } from './due-store.ts';
import type { Handler } from './handler.ts';
import type { JobRunner, LeasedJob } from './job-runner.ts';
import * as leases from './lease-store.ts';
import type { QueueTimes } from './queue.ts';

type Lane = {
  kind: string;
  handler: Handler<unknown>;
  running: Set<Promise<void>>;
  /** The running jobs that no longer count; see `Handler.slowAfterMs`. */
  slow: Set<Promise<void>>;
  /** How often the lane was notified of new jobs. */
  wakes: number;
};

/** A lane for each kind of job, which leases as many jobs at once as the handler allows. */
export class JobLanes {
  private readonly lanes: Lane[] = [];
  private polling: Promise<void> | null = null;
  private isDatabaseAvailable = true;
  /**
   * Until this time an expired lease does not prove that its holder is gone, because the database was
   * unavailable and nobody could renew it.
   */
  private leasesDoubtfulUntil = 0;
  /** When expired leases were looked for the last time. */
  private checkedAt: number;

  constructor(
    private readonly deps: {
      database: Database;
      clock: Clock;
      times: QueueTimes;
      /** Whether this process runs jobs of a kind; other processes run the rest. */
      does: (kind: string) => boolean;
      runner: JobRunner;
      stopping: AbortSignal;
      onError: (error: unknown, job: { id: string; kind: string }) => void;
    },
  ) {
    this.checkedAt = deps.clock();
  }

  add(kind: string, handler: Handler<unknown>): void {
    this.lanes.push({ kind, handler, running: new Set(), slow: new Set(), wakes: 0 });
  }

  handlerOf(kind: string): Handler<unknown> | undefined {
    return this.lanes.find((lane) => lane.kind === kind)?.handler;
  }

  /** Looks for jobs of these kinds, as far as this process runs them. */
  wake(kinds: string[]): void {
    for (const lane of this.own()) {
      if (!kinds.includes(lane.kind)) continue;
      lane.wakes += 1;
      void this.fill(lane);
    }
  }

  /**
   * Looks for jobs that have become due, that other processes have added or that a dead one has leased, and
   * wakes their lanes.
   */
  poll(): void {
    this.polling ??= this.pollOnce().finally(() => {
      this.polling = null;
    });
  }

  /** Returns which of these kinds only other processes run. */
  foreign(kinds: string[]): string[] {
    return kinds.filter((kind) => !this.deps.does(kind));
  }

  /** Takes over no expired lease until its holder had the time to renew it. */
  doubtLeases(): void {
    this.leasesDoubtfulUntil = this.deps.clock() + 2 * this.deps.times.heartbeatIntervalMs;
  }

  /** Resolves when no job is running. */
  async settle(): Promise<void> {
    await this.polling;
    await Promise.all(this.lanes.flatMap((lane) => [...lane.running, ...lane.slow]));
  }

  private own(): Lane[] {
    return this.lanes.filter(({ kind }) => this.deps.does(kind));
  }

  private async fill(lane: Lane): Promise<void> {
    const { clock, stopping, runner, onError } = this.deps;
    while (!stopping.aborted && lane.running.size < lane.handler.concurrency) {
      const token = newId(clock());
      const { wakes } = lane;
      const leasing = this.lease(lane.kind, token);
      const slot = takeSlot(lane);
      const row = await leasing;
      if (!row) {
        slot.free();
        // The query may have missed a job that was added while it ran.
        if (lane.wakes !== wakes) continue;
        return;
      }
      const refill = () => void this.fill(lane);
      const timer = afterSlow(lane.handler, () => slot.markSlow() && refill());
      void runner
        .work(lane.handler, row, token)
        .catch((error) => onError(error, row))
        .finally(() => {
          clearTimeout(timer);
          slot.free();
          refill();
        });
    }
  }

  private async pollOnce(): Promise<void> {
    const { database, clock, stopping } = this.deps;
    const free = this.own().filter(({ running, handler }) => running.size < handler.concurrency);
    const kinds = free.map(({ kind }) => kind);
    await this.reportOutage('', async () => {
      const look = { kinds, now: clock(), expiry: this.expiry() };
      for (const { kind, isMarkingDue } of await findDueKinds(database.db, look)) {
        if (stopping.aborted) return;
        if (isMarkingDue) await markDueJobs(database, kind, clock());
        this.wake([kind]);
      }
    });
  }

  /** Returns null where no job is due, or the database is unavailable. */
  private lease(kind: string, token: string): Promise<LeasedJob | null> {
    const { database, clock, times } = this.deps;
    const now = clock();
    const lease = { kind, token, now, until: now + times.leaseMs, expiry: this.expiry() };
    return this.reportOutage(kind, () => leases.leaseJob(database, lease));
  }

  /** Leases that ended by this time belong to a process that is gone. */
  private expiry(): number {
    const { clock, times } = this.deps;
    const now = clock();
    // After a jump of the clock, or a pause of the machine, nobody has had the time to renew a lease.
    const passedMs = Math.abs(now - this.checkedAt);
    if (passedMs > times.pollIntervalMs + times.heartbeatIntervalMs) this.doubtLeases();
    this.checkedAt = now;
    return now < this.leasesDoubtfulUntil ? 0 : now;
  }

  /** Returns null where the work fails, which it reports. */
  private async reportOutage<Result>(
    kind: string,
    work: () => Promise<Result>,
  ): Promise<Result | null> {
    const { onError } = this.deps;
    try {
      const result = await work();
      this.isDatabaseAvailable = true;
      return result;
    } catch (error) {
      // An outage is reported once, instead of every second while it lasts.
      if (this.isDatabaseAvailable || !isUnavailable(error)) onError(error, { id: '', kind });
      this.isDatabaseAvailable = !isUnavailable(error);
      if (!this.isDatabaseAvailable) this.doubtLeases();
      return null;
    }
  }
}

/** Occupies a slot while a job is still being leased, so that two wakes don't overfill the lane. */
function takeSlot({ running, slow, handler }: Lane) {
  const { promise: slot, resolve } = Promise.withResolvers<void>();
  running.add(slot);
  return {
    free() {
      running.delete(slot);
      slow.delete(slot);
      resolve();
    },
    /** Counts the job as slow. Returns false where too many are. */
    markSlow(): boolean {
      if (slow.size >= handler.concurrency) return false;
      running.delete(slot);
      slow.add(slot);
      return true;
    },
  };
}

function afterSlow({ slowAfterMs }: Handler<unknown>, then: () => void): Timer | undefined {
  return slowAfterMs === undefined ? undefined : setTimeout(then, slowAfterMs).unref();
}
