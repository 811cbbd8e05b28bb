import { DAY, HOUR } from '../../../contract/limits.ts';
import { isUnavailable, paymentRequired } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import type { ClosedBucket } from '../../buckets/service.ts';
import { dayOf, foldChanges, HOUR_SETTLE_TIME_MS } from '../../usage/service.ts';
import { lockAccount, openAccounts } from '../ledger/ledger.ts';
import { lockAccountRow } from '../ledger/ledger-store.ts';
import type { LedgerAccountRow, PriceRow } from '../tables.ts';
import * as activation from './activation-store.ts';
import { chargeDay, damageOf } from './charge-day.ts';
import * as store from './charges-store.ts';
import type { DueBucket } from './open-use-store.ts';
import { notePrices } from './price-history.ts';
import { inMicroUsd, type Prices } from './pricing.ts';

/** How many accounts one transaction charges, some 20 ms on SQLite. */
const ACCOUNT_BATCH_SIZE = 128;
/** After how long an account that could not be charged is tried again. */
const RETRY_INTERVAL_MS = HOUR;
/** With more accounts that can't be charged the cause is not in their rows, so the round ends. */
const MAX_FAILURES = 100;

type Deps = { database: Database; clock: Clock; prices: Prices };

/**
 * Charges accounts for the days that are over, once each. What is still to be charged of an account,
 * and until when it is charged, changes in the transaction of its entry. So the result does not depend
 * on which process runs this, or how often: processes share the accounts of a round.
 */
export class DailyCharging {
  /** The current prices in micro-USD. */
  private readonly prices: Prices;
  /** The day up to which this process has looked for accounts that have started to use something. */
  private activatedUntil = 0;
  /** The accounts that could not be charged, with the time of the next attempt. */
  private readonly retryAt = new Map<string, number>();

  /** @param deps.prices in USD */
  constructor(private readonly deps: Deps) {
    this.prices = inMicroUsd(deps.prices);
  }

  /**
   * Stores the prices of the configuration. Throws what `requireUnused` throws where the last prices are
   * others, and must not be replaced.
   */
  async start(requireUnused: (last: PriceRow) => Promise<void> = async () => {}): Promise<void> {
    const { database, clock } = this.deps;
    const hasChanged = await notePrices(database, this.prices, clock(), requireUnused);
    if (hasChanged) await store.reviewCharged(database.db);
  }

  /**
   * Charges the accounts that are due and that no other process is charging. Throws when some could
   * not be charged, after all the others have been; these are tried again an hour later, or in the
   * next round if the cause was an unavailable database.
   * @param signal ends the round between two transactions
   */
  async round(signal?: AbortSignal): Promise<void> {
    const until = dayOf(this.deps.clock() - HOUR_SETTLE_TIME_MS);
    // What was appended in the day belongs to its charge; what is committed later is in the next one.
    await foldChanges(this.deps.database, { waits: true, signal });
    await this.activateAccounts(until, signal);
    const failures: unknown[] = [];
    while (failures.length < MAX_FAILURES) {
      signal?.throwIfAborted();
      const end = await store.firstDue(this.deps.database.db, until, this.waiting());
      if (end === undefined || (await this.chargeSome(end, failures)) === 0) break;
    }
    if (failures.length > 0) throw failures[0];
  }

  /**
   * Throws payment-required for a suspended account, which may not create what costs something. The
   * account is locked, so that it isn't suspended without what it creates.
   */
  async requireCanCreateBucket(tx: Tx, userId: string): Promise<void> {
    const account = await lockAccountRow(tx, userId);
    if ((account?.delivery_until ?? null) === null) return;
    throw paymentRequired("This account's balance is below zero. Top it up to continue.");
  }

  /** Keeps the name of a bucket whose row is being deleted, for the charge of its last day. */
  async closed(tx: Tx, { id, user_id, name }: ClosedBucket): Promise<void> {
    await store.saveName(tx, { bucket_id: id, user_id, name });
  }

  /**
   * Finds the accounts that have started to use something, which is once a day, and stores when they
   * are to be charged. Usage is written without their rows, so that no upload waits for a charge.
   */
  private async activateAccounts(until: number, signal?: AbortSignal): Promise<void> {
    if (this.activatedUntil >= until) return;
    const { database } = this.deps;
    for (let after = ''; ; ) {
      signal?.throwIfAborted();
      const active = await activation.accountsWithUse(database.db, after, ACCOUNT_BATCH_SIZE);
      const ids = active.map(({ user_id }) => user_id);
      const last = ids.at(-1);
      if (last === undefined) {
        this.activatedUntil = until;
        return;
      }
      await activation.dropUseOfClosed(database.db, ids);
      await this.activate(active);
      after = last;
    }
  }

  private activate(active: activation.ActiveAccount[]): Promise<void> {
    const { database } = this.deps;
    const hours = new Map(active.map(({ user_id, hour }) => [user_id, hour]));
    return database.transaction(async (tx) => {
      await openAccounts(tx, [...hours.keys()]);
      const byEnd = new Map<number, string[]>();
      for (const { user_id, day } of await activation.lockIdle(database, tx, [...hours.keys()])) {
        // What came after its day was charged is in the charge of a later day.
        const first = Math.max(dayOf(hours.get(user_id) ?? 0), day === null ? 0 : day + DAY);
        byEnd.set(first + DAY, [...(byEnd.get(first + DAY) ?? []), user_id]);
      }
      for (const [end, userIds] of byEnd) await activation.setChargeAt(tx, userIds, end);
    });
  }

  /** Returns how many accounts were charged; 0 where other processes have locked all. */
  private async chargeSome(end: number, failures: unknown[]): Promise<number> {
    const { database } = this.deps;
    let claimed: LedgerAccountRow[] = [];
    const limit = ACCOUNT_BATCH_SIZE;
    try {
      const damaged = await database.transaction(async (tx) => {
        claimed = await store.claimDue(database, tx, { end, limit, except: this.waiting() });
        return this.charge(tx, claimed, end);
      });
      if (damaged.length > 0) failures.push(new Error(damageOf(damaged)));
    } catch (error) {
      if (isUnavailable(error) || claimed.length === 0) throw error;
      // An account that fails must not stop the others of its batch.
      for (const { user_id } of claimed) await this.chargeOne(user_id, end, failures);
    }
    return claimed.length;
  }

  private async chargeOne(userId: string, end: number, failures: unknown[]): Promise<void> {
    const { database, clock } = this.deps;
    try {
      const damaged = await database.transaction(async (tx) => {
        const account = await lockAccount(tx, userId);
        return account.charge_at === end ? this.charge(tx, [account], end) : [];
      });
      if (damaged.length > 0) failures.push(new Error(damageOf(damaged)));
    } catch (error) {
      if (isUnavailable(error)) throw error;
      failures.push(error);
      this.retryAt.set(userId, clock() + RETRY_INTERVAL_MS);
    }
  }

  /** Returns the buckets that were left out because their rows are damaged. */
  private async charge(tx: Tx, accounts: LedgerAccountRow[], end: number): Promise<DueBucket[]> {
    if (accounts.length === 0) return [];
    const charge = { day: end - DAY, end, at: end - 1, next: end + DAY };
    return (await chargeDay(this.deps.database, tx, accounts, charge)).damaged;
  }

  /** Returns the accounts that are not tried at the moment. */
  private waiting(): string[] {
    const now = this.deps.clock();
    for (const [userId, at] of this.retryAt) if (at <= now) this.retryAt.delete(userId);
    return [...this.retryAt.keys()];
  }
}
