import { expect, test } from 'bun:test';
import { rounds } from '../../../tests/support/fixtures/torture.ts';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { DAY, GIB, HOUR, MINUTE } from '../../contract/limits.ts';
import { randomNumbers } from '../usage/testing/model.ts';
import { balanceAt } from './charging/ongoing-balance.ts';
import { balanceOf } from './ledger/ledger-store.ts';
import {
  type Account,
  CREDIT_LIMIT,
  isGraceOver,
  openMoneyWorld,
  paidOf,
} from './testing/money-world.ts';

const STEPS = rounds(10_000, 300);
const USD = 1_000_000;

await describeEachEngine('a random history of money', (open) => {
  test('is explained to the cent, and nobody is served below their limit', async () => {
    const world = await openMoneyWorld(await open());
    const { accounts, clock, database } = world;
    const random = randomNumbers(Number(process.env.SEED ?? 12));
    const below = (limit: number) => Math.floor(random() * limit);
    const pick = <One>(all: One[]) => all[below(all.length)];
    const belowSince = new Map<string, number>();
    const seen = new Set<string>();
    for (let n = 0; n < 4; n += 1) await world.addAccount();

    const served = async (account: Account, what: 'upload' | 'send') => {
      const bucket = pick(account.buckets.filter(({ isGone }) => !isGone));
      if (!bucket) {
        const created = world.addBucket(account);
        // A suspended account gets no bucket, and neither does a banned one.
        await created.catch(({ status }) => expect([401, 402]).toContain(status));
        return;
      }
      const { status } = await world.bucketState(bucket);
      const balance = Number(world.expectedBalance(account));
      const since = belowSince.get(account.id) ?? clock();
      const limit = paidOf(account) > 0 ? CREDIT_LIMIT : 0;
      const isDelivered = await world.isDelivered(bucket);
      if (status !== 'banned') {
        expect(status).toBe(balance < 0 ? 'suspended' : 'running');
        expect(isDelivered).toBe(
          (balance >= -limit && !isGraceOver(since, clock())) || balance >= 0,
        );
      }
      seen.add(`${what} ${status} ${isDelivered}`);
      const fileId = pick(bucket.model.live());
      if (what === 'upload' && status === 'running') {
        const bytes = 1 + below(pick([1000, GIB, 300 * GIB]) ?? 1);
        bucket.model.upload(await world.upload(bucket.id, bytes), clock(), bytes);
      } else if (what === 'send' && isDelivered && fileId) {
        const bytes = below(pick([40, 2000]) ?? 1) * GIB;
        bucket.model.files.get(fileId)?.deliveries.push({ at: clock(), bytes });
        await world.send(bucket.id, bytes);
      }
    };
    const reverse = async (account: Account) => {
      const payment = pick(account.payments);
      if (!payment) return;
      const earlier = pick(payment.reversals);
      const amount = below(2) === 0 ? null : 1 + below(payment.amount);
      const kind = below(2) === 0 ? ('refund' as const) : ('dispute' as const);
      const id = `${kind}-${payment.id}-${payment.reversals.length}`;
      const next = earlier && below(2) === 0 ? { ...earlier, stands: !earlier.stands } : null;
      await world.reverse(payment, next ?? { id, kind, amount, stands: true });
    };

    for (let step = 0; step < STEPS; step += 1) {
      const account = pick(accounts.filter(({ isClosed }) => !isClosed)) as Account;
      const what = below(40);
      if (what < 6) await served(account, 'upload');
      else if (what < 22) await served(account, 'send');
      else if (what < 24) await world.pay(account, (1 + below(20)) * USD);
      else if (what < 26) await reverse(pick(accounts) as Account);
      else if (what < 28) await world.ban(account, below(2) === 0);
      else if (what === 28) await world.restart(pick([0.01, 0.03, 0.06]) ?? 0);
      else if (what === 29 && below(4) === 0) {
        await world.close(account);
        await world.addAccount();
      } else world.move(pick([999, 7 * MINUTE, HOUR, 15 * HOUR + 1, 4 * DAY]) ?? 0);
      await world.settleDown();
      for (const one of accounts) {
        const balance = world.expectedBalance(one);
        const actual = one.isClosed
          ? await balanceOf(database.db, one.id)
          : await balanceAt(database.db, one.id, clock());
        expect([step, one.id, BigInt(actual)]).toEqual([step, one.id, balance]);
        if (balance >= 0n) belowSince.delete(one.id);
        else if (!belowSince.has(one.id)) belowSince.set(one.id, clock());
      }
    }
    // The history was long enough to serve and to refuse.
    expect(seen).toContain('send running true');
    expect(seen).toContain('send suspended false');
    for (const { id } of accounts) await expectSoundLedger(world, id);
  });
});

/** Expects the entries of an account to follow each other, and its sums and charges to be theirs. */
async function expectSoundLedger(
  { database: { db } }: Awaited<ReturnType<typeof openMoneyWorld>>,
  userId: string,
) {
  const entries = await db
    .selectFrom('ledger_entries')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('seq')
    .execute();
  let [balance, paid] = [0, 0];
  for (const [at, entry] of entries.entries()) {
    balance += entry.amount;
    if (entry.kind !== 'charge' && entry.kind !== 'forfeit') paid += entry.amount;
    paid = Math.max(0, Math.min(paid, balance));
    expect([entry.seq, entry.balance, entry.paid]).toEqual([at + 1, balance, paid]);
  }
  const sums = await db
    .selectFrom('ledger_months')
    .selectAll()
    .where('user_id', '=', userId)
    .execute();
  expect(sums.reduce((sum, { amount }) => sum + amount, 0)).toBe(balance);
  const days = await db
    .selectFrom('charge_days')
    .selectAll()
    .where('user_id', '=', userId)
    .execute();
  const charged = days.reduce((sum, day) => sum + day.storage + day.bandwidth + day.upload, 0);
  const posted = entries.filter(({ kind }) => kind === 'charge');
  expect(charged).toBe(posted.reduce((sum, { amount }) => sum - amount, 0));
}
