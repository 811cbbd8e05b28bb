import { DAY, HOUR } from '../../../contract/limits.ts';
import { isUnavailable, paymentRequired } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import type { BucketRow } from '../../../platform/db/tables.ts';
import type { PriceRow } from '../../../platform/db/tables-billing.ts';
import { hourOf, monthOf, type Usage } from '../../usage/service.ts';
import { hold, post } from '../ledger/ledger.ts';
import * as store from './charges-store.ts';
import { inMicroUsd, notePrices, pricesAt, pricesSoFar } from './prices.ts';
import { calculateCharge, NOTHING_OWED, type Prices } from './pricing.ts';

/** What was not charged for long is charged in steps of this, so that no transaction is long. */
const STEP = DAY;
/** Hours of buckets in one transaction: on SQLite everybody waits for it, for some 30 ms. */
const AT_ONCE = 25;

export type HourlyCharging = ReturnType<typeof createHourlyCharging>;

/**
 * Charges buckets for the hours that are over. How far a bucket has been charged, and the fraction
 * of a micro-dollar it still owes, stand in a row that changes in the transaction of its entries;
 * and no entry of an hour is posted twice. So nothing depends on who runs this, or how often.
 */
export function createHourlyCharging(options: {
  database: Database;
  clock: Clock;
  usage: Pick<Usage, 'finalUntil' | 'firstHour' | 'hoursOf' | 'usedBetween'>;
  /** USD. */
  prices: Prices;
}) {
  const { database, clock, usage } = options;
  const { db } = database;
  const prices = inMicroUsd(options.prices);
  let failedUntil = 0;
  /** What this process wrote last: a round that the database broke off is still its own. */
  let lease = 0;
  const keepRound = async (until: number) => {
    await store.holdRound(db, until);
    lease = until;
  };

  /** Charges one bucket, its account held, for its hours up to, not including, `to`. */
  const charge = async (
    tx: Tx,
    bucket: { id: string; userId: string; name: string | null },
    to: number,
    known: PriceRow[],
  ) => {
    const { id, userId, name } = bucket;
    const billed = await store.billedBucket(tx, id);
    const from = Math.max(billed?.charged_until ?? 0, await store.chargedUntil(tx));
    let carry = billed?.carry ?? NOTHING_OWED;
    for (const { hour, until, ...use } of await usage.hoursOf(tx, id, from, to)) {
      const due = calculateCharge(use, pricesAt(known, hour, prices), carry);
      carry = due.carry;
      if (due.total === 0) continue;
      await post(tx, {
        userId,
        kind: 'charge',
        amount: -due.total,
        ref: `charge:${id}:${hour}`,
        bucketId: id,
        detail: due.split,
        at: Math.min(until - 1, clock()),
      });
      const row = { user_id: userId, bucket_id: id, month: monthOf(hour) };
      await store.addToCosts(tx, row, due.split);
    }
    const until = Math.max(from, to);
    await store.saveBilled(tx, {
      bucket_id: id,
      user_id: userId,
      name,
      charged_until: until,
      carry,
    });
  };

  const chargeSome = (some: { id: string; userId: string }[], to: number, known: PriceRow[]) =>
    database.transaction(async (tx) => {
      for (const { id, userId } of some) {
        const account = await hold(tx, userId);
        if (account.closed_at !== null) continue;
        const name = (await store.billedBucket(tx, id))?.name ?? null;
        await charge(tx, { id, userId, name }, to, known);
      }
    });

  /** Every bucket, from one hour up to another. Answers what went wrong with single ones. */
  const chargeAll = async (from: number, to: number) => {
    const owners = await store.ownersOf(db, await usage.usedBetween(from, to));
    const due = [...owners].map(([id, userId]) => ({ id, userId }));
    // Accounts are held in the order of their ids, as everywhere.
    due.sort((a, b) => (a.userId === b.userId ? byText(a.id, b.id) : byText(a.userId, b.userId)));
    const known = await pricesSoFar(db);
    const some = Math.max(1, Math.floor((AT_ONCE * HOUR) / (to - from)));
    const failures: unknown[] = [];
    for (let at = 0; at < due.length; at += some) {
      const batch = due.slice(at, at + some);
      // One that fails takes no other with it; all that failed is charged in a later round.
      await chargeSome(batch, to, known).catch(async () => {
        for (const one of batch) {
          await chargeSome([one], to, known).catch((error) => failures.push(error));
        }
      });
      await keepRound(store.leaseFrom(clock()));
      // SQLite answers without the event loop turning; requests come first.
      await Bun.sleep(0);
    }
    return failures;
  };

  return {
    /** Notes the prices that hold from now on. `alone`: nobody else can be charging. */
    async start({ alone }: { alone: boolean }) {
      if (alone) await keepRound(0);
      await notePrices(database, prices, clock());
    },

    /**
     * Charges what is due, unless another process is at it. Throws where buckets could not be
     * charged, when all others are; they are tried again an hour later, with all that they owe,
     * and sooner where it was the database that was away.
     */
    async round(): Promise<void> {
      const to = await usage.finalUntil();
      if ((await store.chargedUntil(db)) >= to || failedUntil >= to) return;
      const now = clock();
      if (!(await store.takeRound(db, now, lease))) return;
      lease = store.leaseFrom(now);
      try {
        // No empty years are gone through.
        const first = (await usage.firstHour()) ?? to;
        const begin = Math.max(await store.chargedUntil(db), first);
        const failures: unknown[] = [];
        for (let at = begin; at < to; at += STEP) {
          const end = Math.min(at + STEP, to);
          failures.push(...(await chargeAll(at, end)));
          if (failures.length === 0) await store.setChargedUntil(db, end);
        }
        if (failures.length > 0) {
          if (!failures.some(isUnavailable)) failedUntil = to;
          throw failures[0];
        }
        await store.setChargedUntil(db, to);
      } finally {
        await keepRound(0);
      }
    },

    /** Refuses what would cost an account that is suspended. Throws payment-required. */
    async mayMake(userId: string): Promise<void> {
      if ((await store.belowSince(db, userId)) !== null) throw belowZero();
    },

    /** Before anything is changed of a bucket that is to be removed: accounts are held before buckets. */
    hold: async (tx: Tx, userId: string): Promise<void> => void (await hold(tx, userId)),

    /** The last charge of a bucket, its meters closed, in the transaction that removes it. */
    async closed(tx: Tx, bucket: Pick<BucketRow, 'id' | 'user_id' | 'name'>): Promise<void> {
      const { id, user_id: userId, name } = bucket;
      await charge(tx, { id, userId, name }, hourOf(clock()) + HOUR, await pricesSoFar(tx));
    },

    /**
     * The end of an account whose buckets are gone, in the transaction that removes it: what is left
     * of its balance is forfeited, and nothing is charged any more.
     */
    async accountClosed(tx: Tx, userId: string): Promise<void> {
      const { balance } = await hold(tx, userId);
      const at = clock();
      const ref = `forfeit:${userId}`;
      if (balance > 0) await post(tx, { userId, kind: 'forfeit', amount: -balance, ref, at });
      await store.closeAccount(tx, userId, at);
      await store.forgetNames(tx, userId);
    },
  };
}

export const belowZero = () =>
  paymentRequired('The balance of this account is below zero. Top it up to go on.');

const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b));
