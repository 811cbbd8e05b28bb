import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { DAY, GIB, HOUR, KIB, MINUTE } from '../../contract/limits.ts';
import type { AdminOverviewQuery } from '../../contract/wire.ts';
import { post } from '../billing/service.ts';
import { dayOf, dayText } from '../usage/service.ts';
import { randomNumbers } from '../usage/testing/model.ts';
import { openUsageFixture, type UsageFixture } from '../usage/testing/usage-fixture.ts';
import { overviewOf } from './overview.ts';

const START = Date.parse('2026-02-20T05:00:00Z');

/** The credit is not of the range, and has its own tests. */
const getOverview = async (fixture: UsageFixture, query: AdminOverviewQuery = {}) => {
  const credit = { outstanding: 0, paid: 0, unbilled: 0 };
  const sources = {
    totalsSince: (day: number) => fixture.usage.totalsSince(day),
    outstanding: async () => credit,
  };
  const { credit: _, ...overview } = await overviewOf(
    fixture.database.db,
    sources,
    query,
    fixture.clock(),
  );
  return overview;
};

const pay = (
  fixture: UsageFixture,
  ref: string,
  kind: 'payment' | 'refund' | 'grant',
  amount: number,
) =>
  fixture.database.transaction((tx) =>
    post(tx, { userId: fixture.userId, kind, amount, ref, at: fixture.clock() }),
  );

await describeEachEngine('the overview', (open) => {
  test('says zero for everything where there is nothing', async () => {
    const fixture = await openUsageFixture(await open(), START);
    const { stats, ...sums } = await getOverview(fixture);
    expect(sums).toEqual({ usage: 0, bandwidth: 0, total_uploads: 0, revenue: 0 });
    expect(stats.map(({ date }) => date)).toEqual(
      Array.from({ length: 20 }, (_, n) => `2026-02-${String(n + 1).padStart(2, '0')}`),
    );
    expect(stats.every(({ data }) => data === 0)).toBe(true);
  });

  test('equals a model after a simulated month, whatever range is asked for', async () => {
    const fixture = await openUsageFixture(await open(), START);
    const random = randomNumbers(11);
    const below = (limit: number) => Math.floor(random() * limit);
    const days = new Map<number, { level: number; bytes: number; paid: number }>();
    const live: { bucket: string; id: string; bytes: number }[] = [];
    const buckets = [
      await fixture.makeBucket(),
      await fixture.makeBucket(),
      await fixture.makeBucket(),
    ];
    let level = 0;
    const today = () => {
      const day = dayOf(fixture.clock());
      const totals = days.get(day) ?? { level, bytes: 0, paid: 0 };
      days.set(day, totals);
      return totals;
    };

    for (let step = 0; step < 400; step += 1) {
      fixture.move(below(4) * HOUR + below(60) * MINUTE);
      today();
      const bucket = buckets[below(3)] as string;
      const what = below(10);
      if (what < 4 || live.length === 0) {
        const bytes = 1 + below(GIB);
        live.push({ bucket, id: await fixture.upload(bucket, bytes), bytes });
        level += bytes;
      } else if (what < 6) {
        const [removed] = live.splice(below(live.length), 1);
        if (removed) await fixture.remove(removed.bucket, removed.id, removed.bytes);
        level -= removed?.bytes ?? 0;
      } else if (what < 9) {
        const bytes = below(100_000);
        const of = live[below(live.length)];
        if (of) fixture.usage.counterOf(of.bucket, of.id)(bytes);
        await fixture.usage.flush();
        today().bytes += bytes;
      } else {
        const amount = 1 + below(9_000_000);
        await pay(fixture, `p${step}`, 'payment', amount);
        today().paid += amount;
        if (below(2) === 0) {
          await pay(fixture, `r${step}`, 'refund', -amount);
          today().paid -= amount;
        }
        await pay(fixture, `g${step}`, 'grant', 77);
      }
      today().level = level;
      if (below(8) === 0) await fixture.usage.tidy();
    }

    const now = fixture.clock();
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
        await getOverview(fixture, range),
        await getOverview(fixture, { ...range, chartType: 'bandwidth', unit: 'Bytes' }),
        await getOverview(fixture, { ...range, chartType: 'revenue', unit: 'TiB' }),
      ];
      const last = Math.min(to, dayOf(now));
      const requestedDays = [];
      for (let day = from; day <= last; day += DAY) requestedDays.push(day);
      const of = (day: number) => days.get(day) ?? { bytes: 0, paid: 0 };
      expect(disk.stats).toEqual(
        requestedDays.map((day) => ({ date: dayText(day), data: levelOn(day) / KIB })),
      );
      expect(bandwidth.stats.map(({ data }) => data)).toEqual(
        requestedDays.map((day) => of(day).bytes),
      );
      expect(revenue.stats.map(({ data }) => data)).toEqual(
        requestedDays.map((day) => of(day).paid / 1e6),
      );
      const { stats: _, ...sums } = disk;
      expect(sums).toEqual({
        usage: levelOn(last),
        bandwidth: requestedDays.reduce((sum, day) => sum + of(day).bytes, 0),
        total_uploads: live.length,
        revenue: requestedDays.reduce((sum, day) => sum + of(day).paid, 0) / 1e6,
      });
    }
  });

  test('keeps what a deleted bucket stored and sent, up to its end', async () => {
    const fixture = await openUsageFixture(await open(), START);
    const bucket = await fixture.makeBucket();
    const file = await fixture.upload(bucket, 4 * KIB);
    fixture.usage.counterOf(bucket, file)(KIB);
    await fixture.usage.flush();
    fixture.move(2 * DAY);
    await fixture.remove(bucket, file, 4 * KIB);
    await fixture.buckets.deletion.finish(bucket);
    const { stats, usage, bandwidth, total_uploads } = await getOverview(fixture, {
      from: '2026-02-19',
    });
    expect(stats.map(({ data }) => data)).toEqual([0, 4, 4, 0]);
    expect({ usage, bandwidth, total_uploads }).toEqual({
      usage: 0,
      bandwidth: KIB,
      total_uploads: 0,
    });
  });

  test('adds a day up once, also when asked twice and after a pause of weeks', async () => {
    const fixture = await openUsageFixture(await open(), START);
    const bucket = await fixture.makeBucket();
    await fixture.upload(bucket, KIB);
    await fixture.usage.tidy();
    fixture.move(20 * DAY);
    await fixture.upload(bucket, KIB);
    await Promise.all([fixture.usage.tidy(), fixture.usage.tidy()]);
    const { stats } = await getOverview(fixture, { from: '2026-02-19', to: '2026-03-12' });
    expect(stats.map(({ data }) => data)).toEqual([0, ...Array(20).fill(1), 2]);
    expect(await fixture.usage.totalsSince(dayOf(START))).toHaveLength(21);
  });

  test('refuses ranges that are none', async () => {
    const fixture = await openUsageFixture(await open(), START);
    await expect(getOverview(fixture, { from: '2026-02-30' })).rejects.toMatchObject({
      status: 422,
    });
    await expect(
      getOverview(fixture, { from: '2026-02-10', to: '2026-02-01' }),
    ).rejects.toMatchObject({
      status: 422,
    });
  });
});
