import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { DAY, GIB, HOUR, KIB, MINUTE } from '../../contract/limits.ts';
import type { AdminOverviewQuery } from '../../contract/wire.ts';
import { post } from '../billing/service.ts';
import { dayOf, dayText } from '../usage/service.ts';
import { type House, openHouse } from '../usage/testing/house.ts';
import { randomNumbers } from '../usage/testing/model.ts';
import { overviewOf } from './overview.ts';

const START = Date.parse('2026-02-20T05:00:00Z');

const ask = (house: House, query: AdminOverviewQuery = {}) =>
  overviewOf(house.database.db, (day) => house.usage.totalsSince(day), query, house.clock());

const pay = (house: House, ref: string, kind: 'payment' | 'refund' | 'grant', amount: number) =>
  house.database.transaction((tx) =>
    post(tx, { userId: house.userId, kind, amount, ref, at: house.clock() }),
  );

await describeEachEngine('the overview', (open) => {
  test('says zero for everything where there is nothing', async () => {
    const house = await openHouse(await open(), START);
    const { stats, ...sums } = await ask(house);
    expect(sums).toEqual({ usage: 0, bandwidth: 0, total_uploads: 0, revenue: 0 });
    expect(stats.map(({ date }) => date)).toEqual(
      Array.from({ length: 20 }, (_, n) => `2026-02-${String(n + 1).padStart(2, '0')}`),
    );
    expect(stats.every(({ data }) => data === 0)).toBe(true);
  });

  test('equals a model after a simulated month, whatever range is asked for', async () => {
    const house = await openHouse(await open(), START);
    const random = randomNumbers(11);
    const below = (limit: number) => Math.floor(random() * limit);
    const days = new Map<number, { level: number; sent: number; paid: number }>();
    const live: { bucket: string; id: string; bytes: number }[] = [];
    const buckets = [await house.makeBucket(), await house.makeBucket(), await house.makeBucket()];
    let level = 0;
    const today = () => {
      const day = dayOf(house.clock());
      const found = days.get(day) ?? { level, sent: 0, paid: 0 };
      days.set(day, found);
      return found;
    };

    for (let step = 0; step < 400; step += 1) {
      house.move(below(4) * HOUR + below(60) * MINUTE);
      today();
      const bucket = buckets[below(3)] as string;
      const what = below(10);
      if (what < 4 || live.length === 0) {
        const bytes = 1 + below(GIB);
        live.push({ bucket, id: await house.upload(bucket, bytes), bytes });
        level += bytes;
      } else if (what < 6) {
        const [gone] = live.splice(below(live.length), 1);
        if (gone) await house.remove(gone.bucket, gone.id, gone.bytes);
        level -= gone?.bytes ?? 0;
      } else if (what < 9) {
        const bytes = below(100_000);
        const of = live[below(live.length)];
        if (of) house.usage.counterOf(of.bucket, of.id)(bytes);
        await house.usage.flush();
        today().sent += bytes;
      } else {
        const amount = 1 + below(9_000_000);
        await pay(house, `p${step}`, 'payment', amount);
        today().paid += amount;
        if (below(2) === 0) {
          await pay(house, `r${step}`, 'refund', -amount);
          today().paid -= amount;
        }
        await pay(house, `g${step}`, 'grant', 77);
      }
      today().level = level;
      if (below(8) === 0) await house.usage.tidy();
    }

    const now = house.clock();
    expect(now - START).toBeGreaterThan(28 * DAY);
    const levelOn = (day: number) =>
      [...days].filter(([at]) => at <= day).reduce((_, [, { level }]) => level, 0);
    for (const [from, to] of [
      [dayOf(START), dayOf(now)],
      [dayOf(START) - 3 * DAY, dayOf(START) + 9 * DAY],
      [dayOf(START) + 5 * DAY, dayOf(START) + 5 * DAY],
      [dayOf(now), dayOf(now) + 9 * DAY],
    ] as const) {
      const range = { from: dayText(from), to: dayText(to) };
      const [disk, bandwidth, revenue] = [
        await ask(house, range),
        await ask(house, { ...range, chartType: 'bandwidth', unit: 'Bytes' }),
        await ask(house, { ...range, chartType: 'revenue', unit: 'TiB' }),
      ];
      const last = Math.min(to, dayOf(now));
      const asked = [];
      for (let day = from; day <= last; day += DAY) asked.push(day);
      const of = (day: number) => days.get(day) ?? { sent: 0, paid: 0 };
      expect(disk.stats).toEqual(
        asked.map((day) => ({ date: dayText(day), data: levelOn(day) / KIB })),
      );
      expect(bandwidth.stats.map(({ data }) => data)).toEqual(asked.map((day) => of(day).sent));
      expect(revenue.stats.map(({ data }) => data)).toEqual(asked.map((day) => of(day).paid / 1e6));
      const { stats: _, ...sums } = disk;
      expect(sums).toEqual({
        usage: levelOn(last),
        bandwidth: asked.reduce((sum, day) => sum + of(day).sent, 0),
        total_uploads: live.length,
        revenue: asked.reduce((sum, day) => sum + of(day).paid, 0) / 1e6,
      });
    }
  });

  test('keeps what a deleted bucket stored and sent, up to its end', async () => {
    const house = await openHouse(await open(), START);
    const bucket = await house.makeBucket();
    const file = await house.upload(bucket, 4 * KIB);
    house.usage.counterOf(bucket, file)(KIB);
    await house.usage.flush();
    house.move(2 * DAY);
    await house.remove(bucket, file, 4 * KIB);
    await house.buckets.deletion.finish(bucket);
    const { stats, usage, bandwidth, total_uploads } = await ask(house, { from: '2026-02-19' });
    expect(stats.map(({ data }) => data)).toEqual([0, 4, 4, 0]);
    expect({ usage, bandwidth, total_uploads }).toEqual({
      usage: 0,
      bandwidth: KIB,
      total_uploads: 0,
    });
  });

  test('adds a day up once, also when asked twice and after a pause of weeks', async () => {
    const house = await openHouse(await open(), START);
    const bucket = await house.makeBucket();
    await house.upload(bucket, KIB);
    await house.usage.tidy();
    house.move(20 * DAY);
    await house.upload(bucket, KIB);
    await Promise.all([house.usage.tidy(), house.usage.tidy()]);
    const { stats } = await ask(house, { from: '2026-02-19', to: '2026-03-12' });
    expect(stats.map(({ data }) => data)).toEqual([0, ...Array(20).fill(1), 2]);
    expect(await house.usage.totalsSince(dayOf(START))).toHaveLength(21);
  });

  test('refuses ranges that are none', async () => {
    const house = await openHouse(await open(), START);
    await expect(ask(house, { from: '2026-02-30' })).rejects.toMatchObject({ status: 422 });
    await expect(ask(house, { from: '2026-02-10', to: '2026-02-01' })).rejects.toMatchObject({
      status: 422,
    });
  });
});
