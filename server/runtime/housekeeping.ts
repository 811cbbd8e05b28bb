import { DAY, HOUR, MINUTE } from '../contract/limits.ts';
import type { Accounts } from '../features/accounts/service.ts';
import type { SystemAudit } from '../platform/audit/system.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/port.ts';
import type { Locks } from '../platform/locks/port.ts';
import type { Queue } from '../platform/queue/queue.ts';
import { runPendingDeletes } from '../platform/storage/pending-deletes.ts';
import type { ObjectStore } from '../platform/storage/port.ts';
import { trimDeliveries } from '../platform/webhooks/retention-store.ts';

const EVERY = MINUTE / 4;
const JOBS_KEPT = 7 * DAY;
/** It counts all of the outbox, which may be long. */
const TRIM_EVERY = 10 * MINUTE;
const TIDY_EVERY = HOUR;
/** One process at a time, to save work: each chore may as well be done by several at once. */
const LOCK = 'housekeeping';

/** Charges what is due, and removes what is over: pending deletes, expired uploads, unused derivatives, codes, sessions and ended jobs. */
export function createHousekeeping(services: {
  database: Database;
  objects: ObjectStore;
  clock: Clock;
  queue: Queue;
  accounts: Accounts;
  uploads: { forgetExpired(): Promise<void> };
  usage: { tidy(): Promise<void> };
  billing: { round(): Promise<void> };
  delivery: { upkeep(): Promise<void> };
  payments: { askDue(): Promise<void> };
  locks: Locks;
  audit: SystemAudit;
  onError: (error: unknown) => void;
}) {
  const { database, objects, clock, queue, accounts, locks, onError } = services;
  let trimmedAt = 0;
  let tidiedAt = 0;
  let timer: ReturnType<typeof setInterval> | null = null;
  let running: Promise<void> | null = null;

  const trim = async () => {
    if (clock() - trimmedAt < TRIM_EVERY) return;
    trimmedAt = clock();
    await trimDeliveries(database.db, clock());
    await services.audit.trim();
  };
  const tidy = async () => {
    if (clock() - tidiedAt < TIDY_EVERY) return;
    tidiedAt = clock();
    await objects.tidy(clock());
  };
  const chores: (() => Promise<unknown>)[] = [
    () => services.uploads.forgetExpired(),
    () => runPendingDeletes(database.db, objects, clock()),
    () => accounts.forgetExpired(),
    () => queue.forget(clock() - JOBS_KEPT),
    // Before hours that are old are forgotten.
    () => services.billing.round(),
    () => services.usage.tidy(),
    trim,
    tidy,
    // The last: a provider may be slow to answer.
    () => services.payments.askDue(),
  ];

  const failed = async (error: unknown) => {
    onError(error);
    await services.audit.failed('Housekeeping', error);
  };

  /** One that fails keeps none of the others from being done. */
  const once = async () => {
    // Of each process: it knows what was asked of it.
    await services.delivery.upkeep().catch(failed);
    const lock = await locks.tryTake(LOCK).catch(onError);
    if (!lock) return;
    for (const chore of chores) await chore().catch(failed);
    await lock.release();
  };

  /** One round at a time; whoever asks during a round waits for its end. */
  const round = (): Promise<void> => {
    running ??= once().finally(() => {
      running = null;
    });
    return running;
  };

  return {
    round,
    start() {
      timer = setInterval(() => void round(), EVERY);
      void round();
    },
    async stop() {
      if (timer) clearInterval(timer);
      await running;
    },
  };
}
