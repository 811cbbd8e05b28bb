import { DAY, HOUR } from '../../../contract/limits.ts';
import { isUnavailable, paymentRequired } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import type { ClosedBucket } from '../../buckets/service.ts';
import { hourOf, monthOf, type Usage } from '../../usage/service.ts';
import { lockAccount, post } from '../ledger/ledger.ts';
import type { PriceRow } from '../tables.ts';
import * as store from './charges-store.ts';
import {
  calculateCharge,
  inMicroUsd,
  NOTHING_OWED,
  notePrices,
  type Prices,
  pricesAt,
} from './pricing.ts';
import { RoundLease } from './round-lease.ts';

/**
 * Several days of overdue charges are charged in steps of this length, so that no transaction is
 * long.
 */
const STEP_MS = DAY;
/**
 * How many hours of buckets one transaction charges. On SQLite all other writers wait for it, some
 * 30 ms.
 */
const CHARGE_BATCH_SIZE = 25;

type Dependencies = {
  database: Database;
  clock: Clock;
  usage: Pick<Usage, 'finalUntil' | 'firstHour' | 'hoursOf' | 'usedBetween'>;
  prices: Prices;
};

type ChargedBucket = { id: string; userId: string };

/**
 * Charges buckets for the hours that are over. A row for each bucket says how far it has been
 * charged, and which fraction of a micro-dollar it still owes; it changes in the transaction of the
 * bucket's entries, and no entry of an hour is posted twice. So the result does not depend on which
 * process runs this, or how often.
 */
export class HourlyCharging {
  /** The current prices in micro-USD. */
  private readonly prices: Prices;
  /** After a round with failures, none is started before this hour, in epoch milliseconds. */
  private failedUntil = 0;
  private readonly lease: RoundLease;

  /** @param deps.prices in USD */
  constructor(private readonly deps: Dependencies) {
    this.prices = inMicroUsd(deps.prices);
    this.lease = new RoundLease(deps.database, deps.clock);
  }

  /**
   * Stores the prices of the configuration. With `isOnlyProcess` no other process can be charging,
   * so the lease that a killed process left is released.
   */
  async start({ isOnlyProcess }: { isOnlyProcess: boolean }): Promise<void> {
    if (isOnlyProcess) await this.lease.release();
    await notePrices(this.deps.database, this.prices, this.deps.clock());
  }

  /**
   * Charges what is due, unless another process is doing so. Throws when some buckets could not be
   * charged, after all the others have been. The failed ones are tried again an hour later, with
   * all that they owe, or in the next round if the cause was an unavailable database.
   */
  async round(): Promise<void> {
    const { db } = this.deps.database;
    const to = await this.deps.usage.finalUntil();
    if ((await store.chargedUntil(db)) >= to || this.failedUntil >= to) return;
    if (!(await this.lease.acquire())) return;
    try {
      const failures = await this.chargeUntil(to);
      if (failures.length > 0) {
        if (!failures.some(isUnavailable)) this.failedUntil = to;
        throw failures[0];
      }
      await store.setChargedUntil(db, to);
    } finally {
      await this.lease.release();
    }
  }

  /** Throws payment-required for a suspended account, which may not create what costs something. */
  async requireCanCreateBucket(userId: string): Promise<void> {
    if ((await store.belowSince(this.deps.database.db, userId)) === null) return;
    throw paymentRequired("This account's balance is below zero. Top it up to continue.");
  }

  /**
   * Locks the account of a bucket's owner. A transaction that removes a bucket calls it before it
   * changes the bucket, because accounts are always locked before buckets.
   */
  async lockAccount(tx: Tx, userId: string): Promise<void> {
    await lockAccount(tx, userId);
  }

  /**
   * Posts a bucket's last charge after its meters are closed, in the transaction that removes it.
   */
  async closed(tx: Tx, bucket: ClosedBucket): Promise<void> {
    const { id, user_id: userId, name } = bucket;
    const to = hourOf(this.deps.clock()) + HOUR;
    await this.charge(tx, { id, userId, name }, to, await store.pricesSoFar(tx));
  }

  /**
   * Closes an account whose buckets are gone, in the transaction that removes it: the rest of its
   * balance is forfeited, and nothing is charged to it any more.
   */
  async accountClosed(tx: Tx, userId: string): Promise<void> {
    const { balance } = await lockAccount(tx, userId);
    const at = this.deps.clock();
    const ref = `forfeit:${userId}`;
    if (balance > 0) await post(tx, { userId, kind: 'forfeit', amount: -balance, ref, at });
    await store.closeAccount(tx, userId, at);
    await store.forgetNames(tx, userId);
  }

  /** Charges all buckets step by step up to `to`, and returns the errors of those that failed. */
  private async chargeUntil(to: number): Promise<unknown[]> {
    const { db } = this.deps.database;
    // Starting at the first hour with any use skips years in which there was none.
    const first = (await this.deps.usage.firstHour()) ?? to;
    const start = Math.max(await store.chargedUntil(db), first);
    const failures: unknown[] = [];
    for (let at = start; at < to; at += STEP_MS) {
      const end = Math.min(at + STEP_MS, to);
      failures.push(...(await this.chargeAll(at, end)));
      if (failures.length === 0) await store.setChargedUntil(db, end);
    }
    return failures;
  }

  /**
   * Charges every bucket from one hour up to another, and returns the errors of those that failed.
   */
  private async chargeAll(from: number, to: number): Promise<unknown[]> {
    const { db } = this.deps.database;
    const owners = await store.ownersOf(db, await this.deps.usage.usedBetween(from, to));
    const buckets = [...owners].map(([id, userId]) => ({ id, userId }));
    // Every transaction locks accounts in the order of their ids, so that two never deadlock.
    buckets.sort((a, b) =>
      a.userId === b.userId ? byText(a.id, b.id) : byText(a.userId, b.userId),
    );
    const prices = await store.pricesSoFar(db);
    const batchSize = Math.max(1, Math.floor((CHARGE_BATCH_SIZE * HOUR) / (to - from)));
    const failures: unknown[] = [];
    for (let at = 0; at < buckets.length; at += batchSize) {
      const batch = buckets.slice(at, at + batchSize);
      // A bucket that fails must not stop the others of its batch; a later round charges it.
      await this.chargeBatch(batch, to, prices).catch(async () => {
        for (const one of batch) {
          await this.chargeBatch([one], to, prices).catch((error) => failures.push(error));
        }
      });
      await this.lease.extend();
      // Queries on SQLite never yield to the event loop; this lets waiting requests run.
      await Bun.sleep(0);
    }
    return failures;
  }

  private chargeBatch(batch: ChargedBucket[], to: number, prices: PriceRow[]): Promise<void> {
    return this.deps.database.transaction(async (tx) => {
      for (const { id, userId } of batch) {
        const account = await lockAccount(tx, userId);
        if (account.closed_at !== null) continue;
        const name = (await store.billedBucket(tx, id))?.name ?? null;
        await this.charge(tx, { id, userId, name }, to, prices);
      }
    });
  }

  /** Charges one bucket, whose account is locked, for its hours up to, not including, `to`. */
  private async charge(
    tx: Tx,
    { id, userId, name }: ChargedBucket & { name: string | null },
    to: number,
    prices: PriceRow[],
  ): Promise<void> {
    const billed = await store.billedBucket(tx, id);
    const from = Math.max(billed?.charged_until ?? 0, await store.chargedUntil(tx));
    let carry = billed?.carry ?? NOTHING_OWED;
    for (const { hour, until, ...use } of await this.deps.usage.hoursOf(tx, id, from, to)) {
      const charge = calculateCharge(use, pricesAt(prices, hour, this.prices), carry);
      carry = charge.carry;
      if (charge.total === 0) continue;
      await post(tx, {
        userId,
        kind: 'charge',
        amount: -charge.total,
        ref: `charge:${id}:${hour}`,
        bucketId: id,
        detail: charge.split,
        at: Math.min(until - 1, this.deps.clock()),
      });
      const row = { user_id: userId, bucket_id: id, month: monthOf(hour) };
      await store.addToCosts(tx, row, charge.split);
    }
    await store.saveBilled(tx, {
      bucket_id: id,
      user_id: userId,
      name,
      charged_until: Math.max(from, to),
      carry,
    });
  }
}

const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b));
