import { DAY, HOUR, MINUTE } from '../contract/limits.ts';
import type { Accounts } from '../features/accounts/service.ts';
import type { Billing } from '../features/billing/service.ts';
import type { SystemAudit } from '../platform/audit/record.ts';
import type { Clock } from '../platform/clock.ts';
import type { ClockGuard } from '../platform/clock-guard/clock-guard.ts';
import type { Database } from '../platform/db/port.ts';
import { deleteExpiredKeys } from '../platform/idempotency/idempotency-store.ts';
import type { Locks } from '../platform/locks/port.ts';
import type { Queue } from '../platform/queue/queue.ts';
import type { Ballast } from '../platform/storage/ballast.ts';
import { failingDeletes } from '../platform/storage/due-deletes-store.ts';
import { runPendingDeletes } from '../platform/storage/pending-deletes.ts';
import type { ObjectStore } from '../platform/storage/port.ts';
import { trimWebhookAttempts } from '../platform/webhooks/trim-store.ts';
import { type Chore, ChoreRunner } from './chore.ts';

const INTERVAL_MS = MINUTE / 4;
const TRIM_INTERVAL_MS = 10 * MINUTE;
const TIDY_INTERVAL_MS = HOUR;
/** For so long an account can spend more than its balance. */
const WATCH_INTERVAL_MS = 2 * MINUTE;
const SWEEP_INTERVAL_MS = HOUR;
/** Each provider's are listed once a day. */
const REVERSALS_INTERVAL_MS = HOUR;
const JOB_TTL_MS = 7 * DAY;

type HousekeepingDeps = {
  database: Database;
  objects: ObjectStore;
  ballast: Pick<Ballast, 'fill'> | null;
  clock: Clock;
  clockGuard: Pick<ClockGuard, 'doubt'>;
  queue: Queue;
  accounts: Accounts;
  uploads: { deleteExpired(signal: AbortSignal): Promise<void> };
  processing: { retries: { deleteExpiredUploads(signal: AbortSignal): Promise<void> } };
  files: {
    expiry: { deleteExpired(signal: AbortSignal): Promise<void> };
    expiryByPrefix: { runDue(signal: AbortSignal): Promise<void> };
    trash: { purgeDue(signal: AbortSignal): Promise<void> };
    folderJobs: { runAll(signal: AbortSignal): Promise<void> };
    zips: { deleteExpired(signal: AbortSignal): Promise<void> };
  };
  imports: { runAll(signal: AbortSignal): Promise<void> };
  buckets: {
    banRetention: { round(signal: AbortSignal): Promise<void> };
    apiKeys: { writeUses(): Promise<void> };
    accessTokens: { writeUses(): Promise<void> };
  };
  s3Keys: { writeUses(): Promise<void> };
  usage: { tidy(signal: AbortSignal): Promise<void> };
  billing: Pick<Billing, 'round' | 'watch' | 'sweep'>;
  delivery: { transforms: { round(): Promise<void> } };
  payments: { checkDue(): Promise<void>; checkReversals(signal: AbortSignal): Promise<void> };
  locks: Pick<Locks, 'tryTake'>;
  audit: SystemAudit;
  onError: (error: unknown) => void;
};

/**
 * Charges what is due, and removes what has expired: pending deletes, uploads, unused generated images,
 * codes, sessions and ended jobs. The chores run side by side.
 */
export class Housekeeping {
  private readonly runners: ChoreRunner[];

  constructor(deps: HousekeepingDeps) {
    const { locks, audit, clockGuard, onError } = deps;
    const onFailure = (name: string, error: unknown) => {
      onError(error);
      return audit.failed(name, error);
    };
    // By a wrong clock, too much would be charged or deleted.
    const isPaused = () => clockGuard.doubt !== null;
    this.runners = choresOf(deps).map(
      (chore) => new ChoreRunner(chore, { locks, isPaused, onFailure }),
    );
  }

  start(): void {
    for (const runner of this.runners) runner.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.runners.map((runner) => runner.stop()));
  }

  /** Runs every chore once, one after the other. */
  async round(): Promise<void> {
    for (const runner of this.runners) await runner.run();
  }
}

const often = (name: string, run: Chore['run']): Chore => ({
  name,
  intervalMs: INTERVAL_MS,
  run,
});

function choresOf(deps: HousekeepingDeps): Chore[] {
  const { database, objects, clock, accounts, queue, uploads, billing, payments } = deps;
  return [
    // Every process does this, as each has its own cache of what was requested.
    {
      ...often('Evicting generated images', () => deps.delivery.transforms.round()),
      isLocal: true,
    },
    often('Deleting expired uploads', (signal) => uploads.deleteExpired(signal)),
    {
      name: 'Deleting uploads of failed files',
      intervalMs: TRIM_INTERVAL_MS,
      run: (signal) => deps.processing.retries.deleteExpiredUploads(signal),
    },
    ...fileChoresOf(deps.files),
    often('Importing from S3 servers', (signal) => deps.imports.runAll(signal)),
    often('Deleting objects', async (signal) => {
      const { db } = database;
      while (await runPendingDeletes({ db, objects, now: clock(), signal }));
      const [failing] = await failingDeletes(db, 1);
      if (failing) throw new Error(failing.error ?? '');
    }),
    often('Deleting expired sessions and codes', (signal) => accounts.forgetExpired(signal)),
    often('Deleting old jobs', (signal) => queue.forget(clock() - JOB_TTL_MS, signal)),
    // Every process charges, and they share the accounts.
    { ...often('Billing', (signal) => billing.round(signal)), isLocal: true },
    // Every process checks the accounts whose usage it counts.
    {
      name: 'Checking balances',
      intervalMs: WATCH_INTERVAL_MS,
      isLocal: true,
      run: (signal) => billing.watch(signal),
    },
    {
      name: 'Checking all balances',
      intervalMs: SWEEP_INTERVAL_MS,
      run: (signal) => billing.sweep(signal),
    },
    ...usageChoresOf(deps),
    ...trimmingChoresOf(deps),
    {
      name: 'Deleting buckets of banned accounts',
      intervalMs: TRIM_INTERVAL_MS,
      run: (signal) => deps.buckets.banRetention.round(signal),
    },
    {
      name: 'Deleting temporary files',
      intervalMs: TIDY_INTERVAL_MS,
      run: () => objects.tidy(clock()),
    },
    { ...often('Keeping space for deletions', async () => deps.ballast?.fill()), isLocal: true },
    ...paymentChoresOf(payments),
  ];
}

function fileChoresOf({
  expiry,
  expiryByPrefix,
  trash,
  folderJobs,
  zips,
}: HousekeepingDeps['files']) {
  return [
    often('Deleting expired files', (signal) => expiry.deleteExpired(signal)),
    often('Deleting files by expiry rules', (signal) => expiryByPrefix.runDue(signal)),
    often('Emptying the trash', (signal) => trash.purgeDue(signal)),
    often('Moving, copying and deleting folders', (signal) => folderJobs.runAll(signal)),
    often('Deleting expired links to ZIPs', (signal) => zips.deleteExpired(signal)),
  ];
}

function usageChoresOf({ usage, buckets, s3Keys }: HousekeepingDeps): Chore[] {
  return [
    {
      name: 'Adding up usage',
      intervalMs: INTERVAL_MS,
      run: (signal) => usage.tidy(signal),
    },
    // Every process knows the keys of its own requests.
    {
      name: 'Storing when API keys were used',
      intervalMs: INTERVAL_MS,
      isLocal: true,
      run: () => buckets.apiKeys.writeUses(),
    },
    {
      name: 'Storing when access tokens were used',
      intervalMs: INTERVAL_MS,
      isLocal: true,
      run: () => buckets.accessTokens.writeUses(),
    },
    {
      name: 'Storing when S3 keys were used',
      intervalMs: INTERVAL_MS,
      isLocal: true,
      run: () => s3Keys.writeUses(),
    },
  ];
}

function paymentChoresOf(payments: HousekeepingDeps['payments']): Chore[] {
  return [
    { name: 'Checking payments', intervalMs: INTERVAL_MS, run: () => payments.checkDue() },
    {
      name: 'Checking refunds and disputes',
      intervalMs: REVERSALS_INTERVAL_MS,
      run: (signal) => payments.checkReversals(signal),
    },
  ];
}

/** Returns the chores that keep tables from growing for ever. */
function trimmingChoresOf({ database, clock, audit }: HousekeepingDeps): Chore[] {
  const every = (name: string, run: Chore['run']): Chore => ({
    name,
    intervalMs: TRIM_INTERVAL_MS,
    run,
  });
  return [
    every('Trimming webhook deliveries', (signal) =>
      trimWebhookAttempts(database.db, { now: clock(), signal }),
    ),
    every('Deleting expired idempotency keys', (signal) =>
      deleteExpiredKeys(database.db, clock(), signal),
    ),
    every('Trimming the audit log', (signal) => audit.trim(signal)),
  ];
}
