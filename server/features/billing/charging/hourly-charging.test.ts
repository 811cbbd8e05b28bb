import { expect, test } from 'bun:test';
import { rounds } from '../../../../tests/support/fixtures/torture.ts';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import { DAY, GIB, HOUR, MINUTE } from '../../../contract/limits.ts';
import { ModelBucket, randomNumbers } from '../../usage/testing/model.ts';
import { post } from '../ledger/ledger.ts';
import { balanceOf } from '../ledger/ledger-store.ts';
import { failingWhile, killedAt, openCharged, PRICES, START } from '../testing/charged-fixture.ts';

const STEPS = rounds(400, 150);

await describeEachEngine('charges', (open) => {
  const openFixture = async () => openCharged(await open());

  test('each hour that is over is one entry, with what it is for, in the month in which it was used', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    await h.upload(id, 144 * GIB);
    await h.send(id, 2 * GIB);
    await h.charges.round();
    expect(await h.amounts(id)).toEqual([]);
    h.move(30 * MINUTE + MINUTE);
    await h.charges.round();
    h.move(HOUR);
    await h.charges.round();
    const entries = await h.entries(id);
    expect(entries.map((one) => [one.amount, JSON.parse(one.detail ?? ''), one.ref])).toEqual([
      [
        -(3_000 + 10_000 + 720_000),
        { storage: 3_000, bandwidth: 10_000, upload: 720_000 },
        `charge:${id}:${START - 30 * MINUTE}`,
      ],
      [-6_000, { storage: 6_000, bandwidth: 0, upload: 0 }, `charge:${id}:${START + 30 * MINUTE}`],
    ]);
    expect(entries.map((one) => new Date(one.created_at).toISOString())).toEqual([
      '2026-01-30T22:59:59.999Z',
      '2026-01-30T23:59:59.999Z',
    ]);
    expect(await balanceOf(h.database.db, h.userId)).toBe(-739_000);
    h.move(DAY);
    await h.charges.round();
    expect((await h.months()).map(({ month, storage }) => [month, storage])).toEqual([
      [Date.parse('2026-01-01'), 9_000 + 24 * 6_000],
    ]);
    h.move(HOUR);
    await h.charges.round();
    expect((await h.months()).at(-1)).toMatchObject({
      month: Date.parse('2026-02-01'),
      bucket_id: id,
      storage: 6_000,
      bandwidth: 0,
      upload: 0,
    });
  });

  test('hours in which the server was down charge storage, each of them, and nothing else', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    await h.upload(id, 144 * GIB);
    h.move(3 * DAY);
    await h.another().round();
    const [first, ...later] = await h.entries(id);
    expect(first?.amount).toBe(-723_000);
    expect(later).toHaveLength(71);
    for (const { amount, detail } of later) {
      expect([amount, detail]).toEqual([-6_000, '{"storage":6000,"bandwidth":0,"upload":0}']);
    }
  });

  test('a bucket that costs less than a micro-dollar makes no entry, and what it owes is carried', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    const empty = await h.makeBucket();
    await h.upload(id, Math.floor(GIB / 1000));
    h.move(10 * DAY);
    await h.charges.round();
    const amounts = await h.amounts(id);
    // 5 for the upload, 1/24 an hour for storing it.
    expect(amounts.slice(0, 2)).toEqual([-5, -1]);
    expect(amounts.length).toBeLessThan(12);
    expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBe(-14);
    expect(await h.amounts(empty)).toEqual([]);
  });

  test('a new price holds from the next hour on, for whatever is charged later', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    await h.upload(id, 144 * GIB);
    h.move(2 * HOUR);
    const dearer = h.another({ ...PRICES, storage: 0.06 });
    await dearer.start({ isOnlyProcess: true });
    await dearer.start({ isOnlyProcess: true });
    h.move(2 * HOUR);
    await dearer.round();
    // The hour of the change, and the two before it, cost what they did.
    expect(await h.amounts(id)).toEqual([-723_000, -6_000, -6_000, -12_000]);
  });

  test('whoever is killed, however often, and whoever runs beside: each hour is charged once', async () => {
    const h = await openFixture();
    const ids = [await h.makeBucket(), await h.makeBucket()];
    for (const id of ids) await h.upload(id, 144 * GIB);
    h.move(6 * DAY);
    for (const n of [0, 1, 5, 3]) {
      const dying = h.another(PRICES, killedAt(h.database, n));
      await expect(dying.round()).rejects.toThrow('killed');
    }
    await Promise.all([h.another().round(), h.charges.round(), h.another().round()]);
    await h.charges.round();
    for (const id of ids) {
      expect(await h.amounts(id)).toEqual([-723_000, ...Array(143).fill(-6_000)]);
    }
  });

  test('a bucket that cannot be charged holds no other up, and is charged when it can be', async () => {
    const h = await openFixture();
    const { db } = h.database;
    const ids = [await h.makeBucket(), await h.makeBucket(), await h.makeBucket()];
    for (const id of ids) await h.upload(id, 144 * GIB);
    h.move(HOUR);
    await h.charges.round();
    const [bad = ''] = ids;
    const carryOf = (carry: string) =>
      db.updateTable('billed_buckets').set({ carry }).where('bucket_id', '=', bad).execute();
    await carryOf('damaged');
    h.move(2 * HOUR);
    await expect(h.charges.round()).rejects.toThrow('damaged');
    expect(await Promise.all(ids.map(async (id) => (await h.amounts(id)).length))).toEqual([
      1, 3, 3,
    ]);
    // Not every few seconds: that would go through all buckets each time.
    await h.charges.round();
    h.move(3 * DAY);
    await expect(h.charges.round()).rejects.toThrow('damaged');
    expect(await h.amounts(bad)).toHaveLength(1);
    await carryOf('0 0 0');
    h.move(HOUR);
    await h.charges.round();
    for (const id of ids) {
      expect(await h.amounts(id)).toEqual([-723_000, ...Array(75).fill(-6_000)]);
    }
  });

  test('a round that the database breaks off goes on once it is back, in the same process', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    await h.upload(id, 144 * GIB);
    h.move(3 * DAY);
    let attempts = 0;
    let isUnavailable = false;
    const breaking = failingWhile(h.database, () => isUnavailable);
    const failing = h.another(PRICES, {
      ...breaking,
      transaction(work) {
        attempts += 1;
        if (attempts === 2) isUnavailable = true;
        return breaking.transaction(work);
      },
    });
    await expect(failing.round()).rejects.toThrow('away');
    isUnavailable = false;
    await h.charges.round();
    expect((await h.amounts(id)).length).toBeLessThan(72);
    await failing.round();
    expect(await h.amounts(id)).toEqual([-723_000, ...Array(71).fill(-6_000)]);
  });

  test('without the lease two rounds at once charge each hour once too', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    await h.upload(id, 144 * GIB);
    h.move(2 * DAY);
    const freed = { lease_until: 0 };
    const keepFree = setInterval(
      () => void h.database.db.updateTable('charging').set(freed).execute(),
      1,
    );
    await Promise.all([h.another().round(), h.another().round(), h.another().round()]);
    clearInterval(keepFree);
    expect(await h.amounts(id)).toEqual([-723_000, ...Array(47).fill(-6_000)]);
  });

  test('removing a bucket charges it first, to the minute, once, and then nothing more', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    await h.upload(id, 144 * GIB);
    h.move(2 * HOUR);
    await h.send(id, GIB);
    await Promise.all([
      h.buckets.deletion.finish(id),
      h.charges.round(),
      h.buckets.deletion.finish(id),
    ]);
    await h.buckets.deletion.finish(id);
    // Half an hour, an hour, and half an hour with what was sent in it.
    expect(await h.amounts(id)).toEqual([-723_000, -6_000, -8_000]);
    h.move(DAY);
    await h.charges.round();
    expect(await h.amounts(id)).toHaveLength(3);
    expect(await h.months()).toMatchObject([{ storage: 12_000, bandwidth: 5_000 }]);
  });

  test('a removal that is cut off charges nothing, and charges once when it is done again', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    await h.upload(id, 144 * GIB);
    h.move(10 * MINUTE);
    const cutOff = h.database.transaction(async (tx) => {
      await h.charges.closed(tx, { id, user_id: h.userId, name: 'Pictures' });
      throw new Error('killed');
    });
    await expect(cutOff).rejects.toThrow('killed');
    expect(await h.amounts(id)).toEqual([]);
    await h.buckets.deletion.finish(id);
    expect(await h.amounts(id)).toEqual([-721_000]);
  });

  test('what is left of a deleted account is forfeited once, and nothing is charged to it', async () => {
    const h = await openFixture();
    const { db } = h.database;
    const id = await h.makeBucket();
    await h.upload(id, 144 * GIB);
    h.move(10 * MINUTE);
    await h.database.transaction((tx) =>
      post(tx, { userId: h.userId, kind: 'payment', amount: 800_000, ref: 'p', at: h.clock() }),
    );
    await h.buckets.deletion.finish(id);
    for (let times = 0; times < 2; times += 1) {
      await h.database.transaction((tx) => h.charges.accountClosed(tx, h.userId));
    }
    // A download that ended after all was counted.
    h.move(HOUR);
    await h.send(id, GIB);
    h.move(HOUR);
    await h.charges.round();
    const all = await db.selectFrom('ledger_entries').selectAll().orderBy('seq').execute();
    expect(all.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['payment', 800_000],
      ['charge', -721_000],
      ['forfeit', -79_000],
    ]);
    expect(await balanceOf(db, h.userId)).toBe(0);
    const names = await db.selectFrom('billed_buckets').select('name').execute();
    expect(names).toEqual([{ name: '' }]);
  });

  test('after weeks of random use, crashes and removals each bucket has paid its exact cost, rounded down', async () => {
    const h = await openFixture();
    const random = randomNumbers(Number(process.env.SEED ?? 5));
    const below = (limit: number) => Math.floor(random() * limit);
    const pairs = await Promise.all(
      [1, 1, 1].map(async () => ({ id: await h.makeBucket(), model: new ModelBucket() })),
    );
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
      } else h.move([999, 7 * MINUTE, HOUR, 5 * HOUR + 1][below(4)] ?? 0);
    }
    for (const { id } of pairs) await h.buckets.deletion.finish(id);

    const PARTS_PER_MICRO_USD = BigInt(GIB) * 30n * BigInt(DAY);
    for (const { id, model } of pairs) {
      const now = h.clock();
      const transferred =
        BigInt(model.bandwidth(0, now + 1)) +
        BigInt(model.uploads.reduce((sum, { bytes }) => sum + bytes, 0));
      const parts = model.integral(0, now) * 30_000n + transferred * 5_000n * 30n * BigInt(DAY);
      const paid = (await h.amounts(id)).reduce((sum, amount) => sum - amount, 0);
      expect(BigInt(paid)).toBe(parts / PARTS_PER_MICRO_USD);
      expect(paid).toBeGreaterThan(0);
      const sums = (await h.months()).filter((row) => row.bucket_id === id);
      expect(sums.reduce((sum, row) => sum + row.storage + row.bandwidth + row.upload, 0)).toBe(
        paid,
      );
    }
  });
});
