import { DAY, HOUR, MINUTE } from '../contract/limits.ts';
import type { Accounts } from '../features/accounts/service.ts';
import type { SystemAudit } from '../platform/audit/record.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/port.ts';
import type { Locks } from '../platform/locks/port.ts';
import type { Queue } from '../platform/queue/queue.ts';
import { runPendingDeletes } from '../platform/storage/pending-deletes.ts';
import type { ObjectStore } from '../platform/storage/port.ts';
import { trimDeliveries } from '../platform/webhooks/outbox-store.ts';

const ROUND_INTERVAL_MS = MINUTE / 4;
const JOB_TTL_MS = 7 * DAY;
/** Trimming counts all rows of the outbox, of which there may be many. */
const TRIM_INTERVAL_MS = 10 * MINUTE;
const TIDY_INTERVAL_MS = HOUR;
/** One process at a time does the chores, to save work. They are safe to run in several at once. */
const LOCK = 'housekeeping';

type HousekeepingDeps = {
  database: Database;
  objects: ObjectStore;
  clock: Clock;
  queue: Queue;
  accounts: Accounts;
  uploads: { deleteExpired(): Promise<void> };
  usage: { tidy(): Promise<void> };
  billing: { round(): Promise<void> };
  delivery: { evictGeneratedImages(): Promise<void> };
  payments: { checkDue(): Promise<void> };
  locks: Locks;
  audit: SystemAudit;
  onError: (error: unknown) => void;
};

/**
 * Charges what is due, and removes what has expired: pending deletes, uploads, unused generated images,
 * codes, sessions and ended jobs.
 */
export class Housekeeping {
  private readonly deps: HousekeepingDeps;
  private trimmedAt = 0;
  private tidiedAt = 0;
  private timer: ReturnType<typeof setInterval> | null = null;
  private running: Promise<void> | null = null;

  constructor(deps: HousekeepingDeps) {
    this.deps = deps;
  }

  start(): void {
    this.timer = setInterval(() => void this.round(), ROUND_INTERVAL_MS);
    void this.round();
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.running;
  }

  /** Runs one round. A call during a round waits for its end. */
  round(): Promise<void> {
    this.running ??= this.runOnce().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  private async runOnce(): Promise<void> {
    const { delivery, locks, onError } = this.deps;
    const failed = (error: unknown) => this.reportFailure(error);
    // Every process does this, as each has its own cache of what was requested.
    await delivery.evictGeneratedImages().catch(failed);
    const lock = await locks.tryTake(LOCK).catch(onError);
    if (!lock) return;
    // A chore that fails does not keep the others from running.
    for (const chore of this.chores()) await chore().catch(failed);
    await lock.release();
  }

  private chores(): (() => Promise<unknown>)[] {
    const { database, objects, clock, accounts, queue, uploads, billing, usage, payments } =
      this.deps;
    return [
      () => uploads.deleteExpired(),
      () => runPendingDeletes(database.db, objects, clock()),
      () => accounts.forgetExpired(),
      () => queue.forget(clock() - JOB_TTL_MS),
      // Billing must run before usage deletes old hours.
      () => billing.round(),
      () => usage.tidy(),
      () => this.trimLogs(),
      () => this.tidyObjects(),
      // Payments come last, because a provider may respond slowly.
      () => payments.checkDue(),
    ];
  }

  private async trimLogs(): Promise<void> {
    const { database, clock, audit } = this.deps;
    if (clock() - this.trimmedAt < TRIM_INTERVAL_MS) return;
    this.trimmedAt = clock();
    await trimDeliveries(database.db, clock());
    await audit.trim();
  }

  private async tidyObjects(): Promise<void> {
    const { objects, clock } = this.deps;
    if (clock() - this.tidiedAt < TIDY_INTERVAL_MS) return;
    this.tidiedAt = clock();
    await objects.tidy(clock());
  }

  private async reportFailure(error: unknown): Promise<void> {
    this.deps.onError(error);
    await this.deps.audit.failed('Housekeeping', error);
  }
}
