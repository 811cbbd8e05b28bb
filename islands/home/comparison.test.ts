import { expect, test } from 'bun:test';
import { compareMonths, formatGrowth, previousDays } from './comparison.ts';

const KIB = 1024;

test.each([
  [[3, 3], [2, 2, 90], { current: 6, previous: 4, change: '+50%' }],
  [[1], [4, 90], { current: 1, previous: 4, change: '−75%' }],
  [[4], [4], { current: 4, previous: 4, change: '0%' }],
  // This month can have more days than the last one.
  [[1, 1, 1], [1, 1], { current: 3, previous: 2, change: '+50%' }],
])('%j after %j is compared with the same days of the month before', (days, before, expected) => {
  expect(compareMonths({ days, before })).toEqual(expected);
});

test('there is no change in per cent where nothing was before, or nearly nothing', () => {
  expect(compareMonths({ days: [5], before: [0, 7] }).change).toBeNull();
  expect(compareMonths({ days: [11], before: [1] }).change).toBeNull();
  expect(compareMonths({ days: [0], before: [0] }).change).toBeNull();
});

test.each([
  [[1, 3 * KIB], '+2.00 KiB this month'],
  [[0], '−1.00 KiB this month'],
  [[9, KIB], 'Unchanged this month'],
])('storage at %j grows since the end of the last month: %s', (days, text) => {
  expect(formatGrowth({ days, before: [7, KIB] })).toBe(text);
});

test.each([
  ['2026-11-28', 28, 31, 'Oct 1–28'],
  ['2026-01-01', 1, 31, 'Dec 1'],
  ['2026-03-31', 31, 28, 'Feb 1–28'],
])('on %s the days before are %#', (today, days, before, text) => {
  expect(previousDays(today, { days: Array(days).fill(0), before: Array(before).fill(0) })).toBe(
    text,
  );
});
