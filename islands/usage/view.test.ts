import { expect, test } from 'bun:test';
import {
  inFittingUnit,
  paramsOf,
  presetOf,
  presetRange,
  readView,
  selectionOf,
  toggled,
} from './view.ts';

const read = (search: string) => readView(new URLSearchParams(search));

test('a URL that says nothing shows all on disk, in KiB, and asks for nothing', () => {
  expect(selectionOf(read(''))).toEqual({ chartType: 'disk-all', unit: 'KiB' });
  expect(paramsOf(read(''))).toEqual({});
});

test('what is in the URL is asked for, and a view makes the URL that it came from', () => {
  const search = 'from=2025-01-01&to=2025-02-01&chartType=bandwidth&unit=GiB';
  expect(selectionOf(read(search))).toEqual({ chartType: 'bandwidth', unit: 'GiB' });
  expect(new URLSearchParams(paramsOf(read(search))).toString()).toBe(search);
});

test.each(['chartType=disk', 'unit=kib', 'unit=toString', 'from=2025-01-01', 'from=x&to=y'])(
  '%s counts as nothing',
  (search) => {
    expect(paramsOf(read(search))).toEqual({});
  },
);

test('choosing what is chosen clears it, choosing something else takes its place', () => {
  expect(toggled('GiB', 'GiB')).toBeUndefined();
  expect(toggled('GiB', 'MiB')).toBe('MiB');
  expect(toggled(selectionOf(read('')).unit, 'KiB')).toBeUndefined();
});

test.each([
  [[], 'KiB', 0],
  [[0, 0.25], 'KiB', 0.25],
  [[1023.99, 12], 'KiB', 12],
  [[1024, 512], 'MiB', 0.5],
  [[0, 3 * 1024 ** 2], 'GiB', 3],
  [[5 * 1024 ** 3], 'TiB', 5],
  [[5 * 1024 ** 4], 'TiB', 5120],
] as const)('without a chosen unit, days of %p KiB are shown in %s', (days, unit, last) => {
  const stats = days.map((data, at) => ({ date: `2026-11-0${at + 1}`, data }));
  const values = { usage: stats.at(-1)?.data ?? 0, stats };
  const fitting = inFittingUnit({ ...values, previous: values });
  expect(fitting).toMatchObject({ unit, usage: last });
  expect(fitting.stats.at(-1)?.data ?? 0).toBe(last);
  expect(fitting.previous).toEqual({ usage: last, stats: fitting.stats });
});

test('a preset ends today, and a range that is one is found again', () => {
  const range = presetRange('30', '2026-03-01');
  expect(range).toEqual({ from: '2026-01-31', to: '2026-03-01' });
  expect(presetOf(range, '2026-03-01')).toBe('30');
  expect(presetOf(range, '2026-03-02')).toBeUndefined();
  expect(presetOf(null, '2026-03-01')).toBeUndefined();
});
