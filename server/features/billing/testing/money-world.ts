import { DAY, GIB, HOUR, SUSPENSION_GRACE_MS } from '../../../contract/limits.ts';
import type { Database } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import type { ProviderPayment, Reversal } from '../../../platform/payments/port.ts';
import { isSuspended } from '../../access/can.ts';
import { hourOf } from '../../usage/service.ts';
import { ModelBucket } from '../../usage/testing/model.ts';
import { Dunning } from '../dunning/dunning.ts';
import { openAccounts } from '../ledger/ledger.ts';
import { newPaymentRow } from '../payments/checkout.ts';
import { createSettle } from '../payments/settle.ts';
import * as payments from '../payments/store.ts';
import { openCharged, PRICES } from './charged-fixture.ts';

export const CREDIT_LIMIT = 5_000_000;
const NEVER = new AbortController().signal;

type ModelPayment = { id: string; amount: number; reversals: Reversal[] };
type Bucket = { id: string; model: ModelBucket; isGone: boolean };
/** An account as the model knows it. */
export type Account = {
  id: string;
  buckets: Bucket[];
  payments: ModelPayment[];
  forfeited: bigint;
  isClosed: boolean;
};

/** Accounts with money on a database, each with a model of what it must have. */
export async function openMoneyWorld(database: Database) {
  const h = await openCharged(database);
  const settle = createSettle(h);
  const dunning = new Dunning({
    ...h,
    queue: { wake() {} } as never,
    enqueueMail: async () => '',
    addressOf: async (_db, userId) => `${userId}@example.com`,
    takesPayments: true,
    creditLimit: CREDIT_LIMIT,
    appUrl: '',
    onError(error) {
      throw error;
    },
  });
  const prices = [{ from: 0, ...PRICES }];
  let charges = h.charges;
  const accounts: Account[] = [];

  const bucketState = async ({ id }: Bucket) => {
    const bucket = await h.buckets.byId(id);
    if (!bucket) throw new Error(`${id} is gone`);
    return bucket;
  };
  /** Deletes what is in a bucket, as the job of its deletion does. */
  const wipe = async (bucket: Bucket) => {
    const { id, model } = bucket;
    for (const fileId of model.live()) {
      await h.remove(id, fileId, model.sizeOf(fileId));
      const file = model.files.get(fileId);
      if (file) file.removedAt = h.clock();
    }
    await h.buckets.deletion.finish(id);
    bucket.isGone = true;
  };

  return {
    ...h,
    accounts,
    bucketState,
    async addAccount() {
      const id = await h.makeUser(`${newId(h.clock())}@example.com`);
      await database.transaction((tx) => openAccounts(tx, [id]));
      accounts.push({ id, buckets: [], payments: [], forfeited: 0n, isClosed: false });
    },
    async addBucket({ id, buckets }: Account) {
      const bucket = await h.buckets.create(id, { name: 'Pictures' });
      buckets.push({ id: bucket.id, model: new ModelBucket(), isGone: false });
    },
    /** Runs what follows every change of a balance, and the deletions that are due. */
    async settleDown() {
      await charges.round();
      await dunning.round();
      for (const { id, isClosed } of accounts) if (!isClosed) await dunning.review(id);
      await h.buckets.banRetention.round();
      for (const bucket of accounts.flatMap(({ buckets }) => buckets)) {
        if (bucket.isGone || (await bucketState(bucket)).status !== 'deleting') continue;
        await wipe(bucket);
      }
    },
    async pay({ id: userId, payments: all }: Account, amount: number) {
      const id = newId(h.clock());
      const row = newPaymentRow(id, userId, 'stripe', amount, h.clock());
      await payments.insertPayment(database.db, row);
      const payment = { id, amount, reversals: [] };
      all.push(payment);
      await settle(id, async () => reported(payment));
    },
    /** Adds a refund or dispute to a payment, or changes whether it stands. */
    async reverse(payment: ModelPayment, reversal: Reversal) {
      const others = payment.reversals.filter(({ id }) => id !== reversal.id);
      payment.reversals = [...others, reversal];
      await settle(payment.id, async () => reported(payment));
    },
    async ban({ id }: Account, isBanned: boolean) {
      const state = isBanned
        ? { status: 'banned' as const, banned_at: h.clock() }
        : { status: 'active' as const, banned_at: null };
      await database.db.updateTable('users').set(state).where('id', '=', id).execute();
    },
    /** Deletes an account with everything it owns. */
    async close(account: Account) {
      for (const bucket of account.buckets) if (!bucket.isGone) await wipe(bucket);
      await h.closing.settle(account.id, NEVER);
      const left = expectedBalance(account, prices, h.clock());
      await database.transaction((tx) => h.closing.close(tx, account.id));
      account.forfeited = left > 0n ? left : 0n;
      account.isClosed = true;
    },
    /** Restarts the server with other prices, which apply from the next hour. */
    async restart(storage: number) {
      charges = h.another({ ...PRICES, storage });
      await charges.start();
      const from = hourOf(h.clock()) + HOUR;
      if (prices.at(-1)?.from === from) prices.pop();
      prices.push({ from, ...PRICES, storage });
    },
    expectedBalance: (account: Account) => expectedBalance(account, prices, h.clock()),
    /** Whether a bucket is delivered now. */
    async isDelivered(bucket: Bucket) {
      const state = await bucketState(bucket);
      const isVisible = state.status === 'running' || state.status === 'suspended';
      return isVisible && !isSuspended(state, h.clock());
    },
  };
}

/** Returns the state that the provider reports of a paid payment. */
const reported = ({ id, amount, reversals }: ModelPayment): ProviderPayment => ({
  checkoutId: `cs_${id}`,
  state: 'paid',
  requested: { amount, currency: 'USD' },
  received: amount,
  reference: `pi_${id}`,
  reversals,
  unknownStatuses: [],
});

type Price = typeof PRICES & { from: number };

/** Returns the balance of an account in micro-USD by everything that has happened to it. */
function expectedBalance(account: Account, prices: Price[], now: number): bigint {
  const costs = account.buckets.reduce((sum, { model }) => sum + costOf(model, prices, now), 0n);
  return BigInt(paidOf(account)) - costs - account.forfeited;
}

/** Returns what an account has paid and did not get back, in micro-USD. */
export const paidOf = ({ payments: all }: Pick<Account, 'payments'>): number =>
  all.reduce((sum, { amount, reversals }) => {
    const standing = reversals.filter(({ stands }) => stands);
    const reversed = standing.reduce((total, one) => total + (one.amount ?? amount), 0);
    return sum + Math.max(0, amount - reversed);
  }, 0);

/** Returns the cost of a bucket in whole micro-USD: the exact cost of all periods of prices, rounded down. */
function costOf(model: ModelBucket, prices: Price[], now: number): bigint {
  const month = 30n * BigInt(DAY);
  const parts = prices.map(({ from, storage, bandwidth, upload }, at) => {
    const until = Math.min(prices[at + 1]?.from ?? now + 1, now + 1);
    if (until <= from) return 0n;
    const uploaded = model.uploads.filter((one) => one.at >= from && one.at < until);
    const bytes = BigInt(uploaded.reduce((sum, one) => sum + one.bytes, 0));
    const micro = (usd: number) => BigInt(Math.round(usd * 1_000_000));
    return (
      model.integral(from, Math.min(until, now)) * micro(storage) +
      (BigInt(model.bandwidth(from, until)) * micro(bandwidth) + bytes * micro(upload)) * month
    );
  });
  return parts.reduce((sum, part) => sum + part, 0n) / (BigInt(GIB) * month);
}

/** Whether the 72 hours of delivery below zero are over, for an account that has been below zero since a time. */
export const isGraceOver = (belowSince: number, now: number): boolean =>
  now >= belowSince + SUSPENSION_GRACE_MS;
