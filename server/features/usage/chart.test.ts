import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { KIB } from '../../contract/limits.ts';
import type { ChartQuery } from '../../contract/wire.ts';
import { AppError } from '../../errors.ts';
import { periodBefore } from './chart.ts';
import { openUsageFixture } from './testing/usage-fixture.ts';

await describeEachEngine('a chart', (open) => {
  const openFixture = async () =>
    openUsageFixture(await open(), Date.parse('2026-02-10T12:00:00.000Z'));

  test('is of all on disk, in KiB, from the first of this month until today, unless told otherwise', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    await h.upload(id, 1.5 * KIB);
    const { usage, stats } = await h.usage.chart(id, { from: '', to: '', chartType: '', unit: '' });
    expect(usage).toBe(1.5);
    expect(stats.map(({ date }) => date)).toEqual(
      Array.from({ length: 10 }, (_, index) => `2026-02-${String(index + 1).padStart(2, '0')}`),
    );
    expect(stats.at(-1)).toEqual({ date: '2026-02-10', data: 1.5 });
  });

  test('ends today, and its usage is the sum for bandwidth and the last day for disk', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    const file = await h.upload(id, 3 * KIB);
    for (const bytes of [KIB, 2 * KIB]) {
      h.usage.counterOf(id, file)(bytes);
      await h.usage.flush();
      h.move(24 * 60 * 60 * 1000);
    }
    const range = { from: '2026-02-09', to: '2026-12-31' };
    const bandwidth = await h.usage.chart(id, { ...range, chartType: 'bandwidth' });
    expect(bandwidth).toMatchObject({
      usage: 3,
      stats: [
        { date: '2026-02-09', data: 0 },
        { date: '2026-02-10', data: 1 },
        { date: '2026-02-11', data: 2 },
        { date: '2026-02-12', data: 0 },
      ],
    });
    expect((await h.usage.chart(id, range)).usage).toBe(3);
    const past = await h.usage.chart(id, { to: '2025-12-15', unit: 'TiB' });
    expect([past.stats[0]?.date, past.stats.length, past.usage]).toEqual(['2025-12-01', 15, 0]);
    const nextMonth = await h.usage.chart(id, { from: '2026-03-01', to: '2026-03-31' });
    expect(nextMonth).toEqual({ usage: 0, stats: [], previous: { usage: 0, stats: [] } });
  });

  test('has requests and the share that caches have answered, also of requests that sent nothing', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    for (const isCached of [true, true, false]) h.usage.requestCounterOf(id, 'f')(isCached);
    await h.usage.flush();
    h.move(24 * 60 * 60 * 1000);
    h.usage.requestCounterOf(id, 'f')(false);
    await h.usage.flush();
    const range = { from: '2026-02-10', to: '2026-02-12', unit: 'GiB' } as const;
    expect(await h.usage.chart(id, { ...range, chartType: 'requests' })).toMatchObject({
      usage: 4,
      stats: [
        { date: '2026-02-10', data: 3 },
        { date: '2026-02-11', data: 1 },
      ],
    });
    const { usage, stats } = await h.usage.chart(id, { ...range, chartType: 'hit-ratio' });
    expect(usage).toBe(50);
    expect(stats.map(({ data }) => Math.round(data))).toEqual([67, 0]);
  });

  test('says how it was in the period before', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    const file = await h.upload(id, 3 * KIB);
    h.usage.counterOf(id, file)(KIB);
    await h.usage.flush();
    h.move(2 * 24 * 60 * 60 * 1000);
    h.usage.counterOf(id, file)(5 * KIB);
    await h.usage.flush();
    const days = { from: '2026-02-11', to: '2026-02-12' };
    expect(await h.usage.chart(id, { ...days, chartType: 'bandwidth' })).toMatchObject({
      usage: 5,
      previous: {
        usage: 1,
        stats: [
          { date: '2026-02-09', data: 0 },
          { date: '2026-02-10', data: 1 },
        ],
      },
    });
    const disk = await h.usage.chart(id, { ...days, chartType: 'disk-active' });
    expect(disk.previous.stats.map(({ data }) => data)).toEqual([0, 3]);
  });

  const at = (text: string) => Date.parse(`${text}T00:00:00Z`);
  for (const [from, to, first, last] of [
    ['2026-02-03', '2026-02-05', '2026-01-31', '2026-02-02'],
    ['2026-02-01', '2026-02-10', '2026-01-01', '2026-01-10'],
    ['2026-03-01', '2026-03-31', '2026-02-01', '2026-02-28'],
    ['2026-02-01', '2026-03-01', '2026-01-03', '2026-01-31'],
  ] as const) {
    test(`from ${from} to ${to} is compared with ${first} to ${last}`, () => {
      expect(periodBefore(at(from), at(to))).toEqual({ from: at(first), to: at(last) });
    });
  }

  const refused: [ChartQuery, string][] = [
    [{ from: '2026-02-30' }, 'from must be a day like 2025-12-31.'],
    [{ to: '2025-02-29' }, 'to must be a day like 2025-12-31.'],
    [{ from: '2026-02-02', to: '2026-02-01' }, 'from must not be after to.'],
    [{ from: '2025-01-01', to: '2026-02-05' }, 'The range can have at most 400 days.'],
    [{ from: '0001-01-01' }, 'The range can have at most 400 days.'],
  ];
  for (const [query, text] of refused) {
    test(`of ${JSON.stringify(query)} is refused with a text`, async () => {
      const h = await openFixture();
      const failure = await h.usage.chart('none', query).catch((error: AppError) => error);
      expect(failure).toBeInstanceOf(AppError);
      expect(failure).toMatchObject({ status: 422, text });
    });
  }

  test('may have 400 days', async () => {
    const h = await openFixture();
    const { stats } = await h.usage.chart('none', { from: '2025-01-01', to: '2026-02-04' });
    expect(stats).toHaveLength(400);
  });
});
