import { expect, test } from 'bun:test';
import { datesOf, firstMonthOf, formatRange, parseRange, rangeOf, readRange } from './day-range.ts';

const range = { from: '2025-01-31', to: '2025-03-01' };

test('a range is shown dd/MM/yyyy, and nothing is shown for none', () => {
  expect(formatRange(range)).toBe('31/01/2025 – 01/03/2025');
  expect(formatRange({ from: '2025-01-31', to: '2025-01-31' })).toBe('31/01/2025');
  expect(formatRange(null)).toBe('');
});

test('a calendar gets the days as they are called, whatever the zone', () => {
  const [first, last] = datesOf(range);
  expect([first?.getDate(), first?.getMonth(), first?.getHours()]).toEqual([31, 0, 0]);
  expect([last?.getDate(), last?.getMonth()]).toEqual([1, 2]);
  expect(rangeOf(datesOf(range))).toEqual(range);
  expect(datesOf(null)).toEqual([]);
});

test('a calendar ends with the month of the range, or with this month', () => {
  const now = new Date(2026, 0, 31);
  const month = (of: typeof range | null, months: number) =>
    formatRange(rangeOf([firstMonthOf(of, months, now)]));
  expect(month(null, 2)).toBe('01/12/2025');
  expect(month(null, 1)).toBe('01/01/2026');
  expect(month(range, 2)).toBe('01/02/2025');
  expect(month(range, 1)).toBe('01/03/2025');
});

test('one picked day is a range of one day, and none is none', () => {
  expect(rangeOf([new Date(2025, 4, 5)])).toEqual({ from: '2025-05-05', to: '2025-05-05' });
  expect(rangeOf([])).toBeNull();
});

test.each([
  ['2025-02-30', '2025-03-01'],
  ['2025-03-02', '2025-03-01'],
  ['2025-03-02', null],
  ['', ''],
  ['yesterday', '2025-03-01'],
])('from %p to %p in a URL is no range', (from, to) => {
  expect(readRange(from, to)).toBeNull();
});

test('two days in order in a URL are a range', () => {
  expect(readRange('2025-01-31', '2025-03-01')).toEqual(range);
});

test.each([
  ['31/01/2025 – 01/03/2025', range],
  ['1/3/2025-31.1.2025', range],
  ['2025-01-31 to 2025-03-01', range],
  [' 31/1/2025 ', { from: '2025-01-31', to: '2025-01-31' }],
  ['', null],
  ['30/02/2025', undefined],
  ['31/01/25', undefined],
  ['yesterday', undefined],
  ['1/1/2025 x 2/1/2025', undefined],
  ['1/1/2025 2/1/2025 3/1/2025', undefined],
])('typed: "%s"', (text, days) => {
  expect(parseRange(text)).toEqual(days as typeof range);
});
