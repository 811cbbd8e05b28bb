import { expect, test } from 'bun:test';
import { rounds } from '../../../../tests/support/fixtures/torture.ts';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import { DAY, GIB, HOUR, MINUTE } from '../../../contract/limits.ts';
import { dayOf } from '../../usage/service.ts';
import { ModelBucket, randomNumbers } from '../../usage/testing/model.ts';
import { post } from '../ledger/ledger.ts';
import { balanceOf } from '../ledger/ledger-store.ts';
import { failingWhile, killedAt, openCharged, PRICES, START } from '../testing/charged-fixture.ts';

const STEPS = rounds(400, 150);
const NEVER = new AbortController().signal;

await describeEachEngine('charges', (open) => {
  const openFixture = async () => openCharged(await open());

  test('each day that is over is one entry, with its parts by bucket, in the month in which it was used', async () => {
    const h = await openFixture();
    const [id, other] = [await h.makeBucket(), await h.makeBucket()];
    await h.upload(id, 144 * GIB);
    await h.send(id, 2 * GIB);
    await h.upload(other, 24 * GIB);
    h.move(90 * MINUTE + MINUTE / 2);
    await h.charges.round();
    expect(await h.entries()).toEqual([]);
    h.move(MINUTE);
    await h.charges.round();
    h.move(DAY);
    await h.charges.round();
    const entries = await h.entries();
    expect(entries.map((one) => [one.amount, JSON.parse(one.detail ?? ''), one.ref])).toEqual([
      [
        -(10_500 + 10_000 + 840_000),
        { storage: 10_500, bandwidth: 10_000, upload: 840_000 },
        `charge:${h.userId}:2026-01-30`,
      ],
      [-168_000, { storage: 168_000, bandwidth: 0, upload: 0 }, `charge:${h.userId}:2026-01-31`],
    ]);
    expect(entries.map((one) => new Date(one.created_at).toISOString())).toEqual([
      '2026-01-30T23:59:59.999Z',
      '2026-01-31T23:59:59.999Z',
    ]);
    expect(await h.parts(id)).toEqual([9_000 + 10_000 + 720_000, 144_000]);
    expect(await h.parts(other)).toEqual([1_500 + 120_000, 24_000]);
    expect(await h.hours(id)).toEqual([]);
    h.move(DAY);
    await h.charges.round();
    expect(await h.months()).toMatchObject([
      { month: Date.parse('2026-01-01'), storage: 153_000 },
      { month: Date.parse('2026-01-01'), storage: 25_500 },
      { month: Date.parse('2026-02-01'), storage: 144_000 },
      { month: Date.parse('2026-02-01'), storage: 24_000 },
    ]);
  });

  test('the balance goes down as something is used, and charging it changes nothing', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    await h.upload(id, 144 * GIB);
    expect(await h.balance()).toBe(-720_000);
    h.move(30 * MINUTE);
    expect(await h.balance()).toBe(-723_000);
    await h.send(id, GIB);
    expect(await h.balance()).toBe(-728_000);
    h.move(61 * MINUTE + 6_000);
    const before = await h.balance();
    expect(before).toBe(-728_000 - 6_110);
    await h.charges.round();
    expect(await h.balance()).toBe(before);
    expect(await balanceOf(h.database.db, h.userId)).toBe(-734_000);
  });

  test('days in which the server was down charge storage, each of them, and nothing else', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    await h.upload(id, 144 * GIB);
    h.move(3 * DAY);
    await h.another().round();
    const [first, ...later] = await h.entries();
    expect(first?.amount).toBe(-729_000);
    expect(later.map(({ amount, detail }) => [amount, detail])).toEqual(
      Array(2).fill([-144_000, '{"storage":144000,"bandwidth":0,"upload":0}']),
    );
  });

  test('a bucket that costs less than a micro-dollar makes no entry, and what it owes is carried', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    const empty = await h.makeBucket();
    await h.upload(id, Math.floor(GIB / 24_000));
    h.move(10 * DAY);
    await h.charges.round();
    // One for nearly a day and a half of storing it, as the upload costs a fifth of a micro-dollar.
    const amounts = await h.amounts();
    expect(amounts.every((amount) => amount === -1)).toBe(true);
    expect(amounts).toHaveLength(0);
    expect(await h.parts(empty)).toEqual([]);
    h.move(30 * DAY);
    await h.charges.round();
    expect(await h.amounts()).toEqual([-1]);
  });

  test('a new price holds from the next hour on, for whatever is charged later', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    await h.upload(id, 144 * GIB);
    h.move(2 * HOUR);
    const dearer = h.another({ ...PRICES, storage: 0.06, upload: 0.01 });
    await dearer.start();
    await dearer.start();
    h.move(2 * HOUR);
    await h.upload(id, GIB);
    expect(await h.balance()).toBe(-(723_000 + 6_000 + 6_000 + 18_000 + 10_000));
    h.move(DAY);
    await dearer.round();
    // The hour of the change, and those before it, cost what they did.
    expect(await h.parts(id)).toEqual([729_000, 6_000 + 23 * 12_000 + 10_000 + 1_791]);
  });

  test('whoever is killed, however often, and whoever runs beside: each day is charged once', async () => {
    const h = await openFixture();
    const ids = [await h.makeBucket(), await h.makeBucket()];
    for (const id of ids) await h.upload(id, 144 * GIB);
    h.move(6 * DAY);
    for (const n of [0, 1, 3, 2]) {
      const dying = h.another(PRICES, killedAt(h.database, n));
      await expect(dying.round()).rejects.toThrow('killed');
    }
    await Promise.all([h.another().round(), h.charges.round(), h.another().round()]);
    await h.charges.round();
    for (const id of ids) expect(await h.parts(id)).toEqual([729_000, ...Array(5).fill(144_000)]);
    expect(await h.amounts()).toEqual([-1_458_000, ...Array(5).fill(-288_000)]);
  });

  test('an account with more buckets than a transaction charges gets one entry, also after a crash', async () => {
    const h = await openFixture();
    const { db } = h.database;
    const day = dayOf(START);
    const rows = Array.from({ length: 450 }, (_, n) => ({
      user_id: h.userId,
      bucket_id: `b${String(n).padStart(3, '0')}`,
      hour: day + 22 * HOUR,
      bandwidth: GIB,
      uploaded: 0,
      stored_change: 0,
      stored_gib_ms: 0,
      stored_byte_ms: 0,
    }));
    await db.insertInto('usage_hours').values(rows).execute();
    h.move(DAY);
    for (const n of [2, 1]) {
      const dying = h.another(PRICES, killedAt(h.database, n));
      await expect(dying.round()).rejects.toThrow('killed');
      expect(await h.entries()).toEqual([]);
      expect(await h.balance()).toBe(-450 * 5_000);
    }
    await Promise.all([h.charges.round(), h.another().round()]);
    await h.charges.round();
    expect(await h.amounts()).toEqual([-450 * 5_000]);
    expect(await h.balance()).toBe(-450 * 5_000);
    // A process that has seen the usage before it was charged may have planned another charge.
    h.move(2 * DAY);
    await h.charges.round();
    expect(await h.amounts()).toHaveLength(1);
    const [account] = await db.selectFrom('ledger_accounts').selectAll().execute();
    expect(account?.charge_at).toBeNull();
  });

  test('what comes after its day was charged is in the charge of the next day', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    await h.upload(id, 144 * GIB);
    h.move(DAY);
    await h.charges.round();
    const late = { user_id: h.userId, bucket_id: id, hour: dayOf(START) + 22 * HOUR };
    const none = { bandwidth: 0, uploaded: 0, stored_byte_ms: 0 };
    const stored = { stored_change: 144 * GIB, stored_gib_ms: 144 * 30 * MINUTE };
    await h.database.db
      .insertInto('usage_hours')
      .values({ ...late, ...none, ...stored })
      .execute();
    expect(await h.balance()).toBe(-(720_000 + 2 * 144_000));
    h.move(DAY);
    await h.charges.round();
    expect(await h.parts(id)).toEqual([729_000, 144_000 + 9_000 + 144_000]);
    h.move(DAY);
    await h.charges.round();
    expect((await h.parts(id)).at(-1)).toBe(288_000);
    await h.upload(id, GIB);
    await h.remove(id, 'f', 289 * GIB);
    h.move(DAY);
    await h.charges.round();
    // Nothing is left to charge, and then something comes late.
    await h.database.db
      .insertInto('usage_hours')
      .values({ ...late, ...none, bandwidth: GIB, stored_change: 0, stored_gib_ms: 0 })
      .execute();
    h.move(2 * DAY);
    await h.charges.round();
    expect((await h.parts(id)).at(-1)).toBe(5_000);
    expect(new Set((await h.entries()).map(({ ref }) => ref)).size).toBe(5);
  });

  test('an account that cannot be charged holds no other up, and is charged when it can be', async () => {
    const h = await openFixture();
    const other = await h.makeUser('b@example.com');
    const [bad, good] = [await h.makeBucket(), (await h.buckets.create(other, { name: 'B' })).id];
    for (const id of [bad, good]) await h.upload(id, 144 * GIB);
    // The day is charged already, by an entry that nothing else knows of.
    const ref = `charge:${h.userId}:2026-01-31`;
    const entry = { userId: other, kind: 'grant', amount: 1, ref, at: START } as const;
    h.move(DAY);
    await h.charges.round();
    await h.database.transaction((tx) => post(tx, entry));
    h.move(DAY);
    await expect(h.charges.round()).rejects.toThrow();
    expect([(await h.parts(bad)).length, (await h.parts(good)).length]).toEqual([1, 2]);
    // Not every few seconds: it would fail each time.
    await h.charges.round();
    h.move(3 * DAY);
    await expect(h.charges.round()).rejects.toThrow();
    expect([(await h.parts(bad)).length, (await h.parts(good)).length]).toEqual([1, 5]);
  });

  test('a bucket whose row is damaged holds up only itself, and is charged for all days once it is repaired', async () => {
    const h = await openFixture();
    const [bad, good] = [await h.makeBucket(), await h.makeBucket()];
    for (const id of [bad, good]) await h.upload(id, 144 * GIB);
    h.move(DAY);
    await h.charges.round();
    const carryOf = (carry: string) =>
      h.database.db
        .updateTable('billed_buckets')
        .set({ carry })
        .where('bucket_id', '=', bad)
        .execute();
    await carryOf('damaged');
    await h.send(bad, GIB);
    for (let days = 0; days < 2; days += 1) {
      h.move(DAY);
      await expect(h.charges.round()).rejects.toThrow(`Bucket ${bad} can't be charged`);
      await h.charges.round();
    }
    expect(await h.parts(bad)).toEqual([729_000]);
    expect(await h.parts(good)).toEqual([729_000, 144_000, 144_000]);
    expect(await h.amounts()).toEqual([-1_458_000, -144_000, -144_000]);
    expect(await h.balance()).toBe(-1_746_000 - 135_000);
    await carryOf('0 0 0');
    h.move(DAY);
    await h.charges.round();
    expect(await h.parts(bad)).toEqual([729_000, 3 * 144_000 + 5_000]);
    await carryOf('damaged');
    await h.database.transaction((tx) => h.closing.close(tx, h.userId));
  });

  test('a round that the database breaks off goes on once it is back, in the same process', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    await h.upload(id, 144 * GIB);
    await h.usage.flush();
    h.move(3 * DAY);
    let attempts = 0;
    let isUnavailable = false;
    const breaking = failingWhile(h.database, () => isUnavailable);
    const failing = h.another(PRICES, {
      ...breaking,
      transaction(work) {
        attempts += 1;
        if (attempts === 3) isUnavailable = true;
        return breaking.transaction(work);
      },
    });
    await expect(failing.round()).rejects.toThrow('away');
    expect(await h.amounts()).toEqual([-729_000]);
    isUnavailable = false;
    await failing.round();
    expect(await h.amounts()).toEqual([-729_000, -144_000, -144_000]);
  });

  test('a round ends between two transactions when the server stops, and goes on later', async () => {
    const h = await openFixture();
    await h.upload(await h.makeBucket(), 144 * GIB);
    h.move(3 * DAY);
    const stopping = AbortSignal.abort(new Error('stopping'));
    await expect(h.charges.round(stopping)).rejects.toThrow('stopping');
    await h.charges.round();
    expect(await h.amounts()).toHaveLength(3);
  });

  test('a bucket that is deleted at noon is in the charge of the day, to the minute, and then in none', async () => {
    const h = await openFixture();
    const [id, other] = [await h.makeBucket(), await h.makeBucket()];
    for (const one of [id, other]) await h.upload(one, 144 * GIB);
    h.move(14 * HOUR);
    await h.send(id, GIB);
    await Promise.all([
      h.buckets.deletion.finish(id),
      h.charges.round(),
      h.buckets.deletion.finish(id),
    ]);
    await h.buckets.deletion.finish(id);
    h.move(3 * DAY);
    await h.charges.round();
    expect(await h.parts(id)).toEqual([729_000, 75_000 + 5_000]);
    expect(await h.parts(other)).toEqual([729_000, 144_000, 144_000, 144_000]);
    expect(await h.amounts()).toHaveLength(4);
    const names = h.database.db.selectFrom('billed_buckets').select(['bucket_id', 'name']);
    expect(await names.where('name', 'is not', null).execute()).toEqual([
      { bucket_id: id, name: 'Pictures' },
    ]);
  });

  test('an account that uses nothing any more is charged no more, until it uses something', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    const file = await h.upload(id, 144 * GIB);
    h.move(HOUR);
    await h.remove(id, file, 144 * GIB);
    h.move(DAY);
    await h.charges.round();
    const account = () =>
      h.database.db.selectFrom('ledger_accounts').selectAll().executeTakeFirstOrThrow();
    expect(await account()).toMatchObject({ charge_at: null, balance: -726_000 });
    h.move(30 * DAY);
    await h.upload(id, GIB);
    h.move(DAY);
    await h.charges.round();
    expect((await h.entries()).map(({ ref }) => ref.slice(-10))).toEqual([
      '2026-01-30',
      '2026-03-02',
    ]);
  });

  test('what is left of a deleted account is forfeited once, and nothing is charged to it', async () => {
    const h = await openFixture();
    const { db } = h.database;
    const id = await h.makeBucket();
    await h.upload(id, 144 * GIB);
    h.move(2 * HOUR);
    await h.database.transaction((tx) =>
      post(tx, { userId: h.userId, kind: 'payment', amount: 800_000, ref: 'p', at: h.clock() }),
    );
    await h.charges.round();
    await h.buckets.deletion.finish(id);
    for (let times = 0; times < 2; times += 1) {
      await h.closing.settle(h.userId, NEVER);
      await h.database.transaction((tx) => h.closing.close(tx, h.userId));
    }
    // A download that ended after all was counted.
    h.move(HOUR);
    await h.send(id, GIB);
    h.move(DAY);
    await h.another().round();
    expect((await h.entries()).map(({ kind, amount }) => [kind, amount])).toEqual([
      ['payment', 800_000],
      ['charge', -729_000],
      ['charge', -3_000],
      ['forfeit', -68_000],
    ]);
    expect(await balanceOf(db, h.userId)).toBe(0);
    expect(await h.hours(id)).toEqual([]);
    const names = await db.selectFrom('billed_buckets').select('name').execute();
    expect(names).toEqual([{ name: '' }]);
  });

  test('a deleted account is charged for the days before that were not, each with its entry', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    await h.upload(id, 144 * GIB);
    h.move(DAY);
    await h.charges.round();
    h.move(2 * DAY);
    await h.buckets.deletion.finish(id);
    await h.database.transaction((tx) => h.closing.close(tx, h.userId));
    expect(await h.amounts()).toEqual([-729_000, -144_000, -144_000, -135_000]);
  });

  test('after weeks of random use, crashes and removals each bucket has paid its exact cost, rounded down', async () => {
    const h = await openFixture();
    const random = randomNumbers(Number(process.env.SEED ?? 5));
    const below = (limit: number) => Math.floor(random() * limit);
    const pairs = await Promise.all(
      [1, 1, 1].map(async () => ({ id: await h.makeBucket(), model: new ModelBucket() })),
    );
    const expectedBalance = () =>
      -pairs.reduce((sum, { model }) => sum + exactCost(model, h.clock()), 0n);
    for (let step = 0; step < STEPS; step += 1) {
      const { id, model } = pairs[below(3)] as (typeof pairs)[number];
      const fileId = model.live()[below(model.live().length)];
      const now = h.clock();
      const what = below(8);
      if (what < 2 || fileId === undefined) {
        const bytes = 1 + below([1000, GIB, 500 * GIB][below(3)] ?? 1);
        model.upload(await h.upload(id, bytes), now, bytes);
      } else if (what === 2) {
        const file = model.files.get(fileId);
        await h.remove(id, fileId, model.sizeOf(fileId));
        if (file) file.removedAt = now;
      } else if (what === 3) {
        const bytes = below(40 * GIB);
        model.files.get(fileId)?.deliveries.push({ at: now, bytes });
        await h.send(id, bytes);
      } else if (what === 4) {
        const dying = h.another(PRICES, killedAt(h.database, below(3)));
        await Promise.all([dying.round().catch(() => {}), h.charges.round()]);
      } else h.move([999, 7 * MINUTE, HOUR, 15 * HOUR + 1][below(4)] ?? 0);
      expect(BigInt(await h.balance())).toBe(expectedBalance());
    }
    for (const { id } of pairs) await h.buckets.deletion.finish(id);
    const expected = expectedBalance();
    await h.database.transaction((tx) => h.closing.close(tx, h.userId));

    expect(BigInt(await balanceOf(h.database.db, h.userId))).toBe(expected);
    for (const { id, model } of pairs) {
      const paid = (await h.parts(id)).reduce((sum, part) => sum + part, 0);
      expect(BigInt(paid)).toBe(exactCost(model, h.clock()));
      expect(paid).toBeGreaterThan(0);
      const sums = (await h.months()).filter((row) => row.bucket_id === id);
      expect(sums.reduce((sum, row) => sum + row.storage + row.bandwidth + row.upload, 0)).toBe(
        paid,
      );
    }
    const refs = (await h.entries()).map(({ ref }) => ref);
    expect(new Set(refs).size).toBe(refs.length);
    expect(await h.database.db.selectFrom('usage_hours').selectAll().execute()).toEqual([]);
  });
});

/** Returns what a bucket has cost until a moment in whole micro-USD, by everything that happened to it. */
function exactCost(model: ModelBucket, now: number): bigint {
  const transferred =
    BigInt(model.bandwidth(0, now + 1)) +
    BigInt(model.uploads.reduce((sum, { bytes }) => sum + bytes, 0));
  const parts = model.integral(0, now) * 30_000n + transferred * 5_000n * 30n * BigInt(DAY);
  return parts / (BigInt(GIB) * 30n * BigInt(DAY));
}
