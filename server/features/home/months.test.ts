import { expect, test } from 'bun:test';
import { monthsOf, previousMonthOf } from './months.ts';

const on = (text: string) => Date.parse(`${text}T00:00:00Z`);
const change = (day: string, bandwidth: number, stored: number, requests = 0) => ({
  day: on(day),
  bandwidth,
  stored,
  requests,
});

test('this month ends today, and the month before is whole', () => {
  const { bandwidth } = monthsOf(
    [change('2026-02-01', 1, 0), change('2026-02-28', 2, 0), change('2026-03-03', 4, 0)],
    0,
    on('2026-03-03') + 5,
  );
  expect(bandwidth.days).toEqual([0, 0, 4]);
  expect(bandwidth.before).toEqual([1, ...Array(26).fill(0), 2]);
});

test('a day shows what was stored at its end', () => {
  const { storage } = monthsOf(
    [change('2026-02-27', 0, 100), change('2026-03-01', 0, -30), change('2026-03-02', 0, 50)],
    120,
    on('2026-03-03'),
  );
  expect(storage.days).toEqual([70, 120, 120]);
  expect(storage.before.slice(-3)).toEqual([0, 100, 100]);
});

test('requests are those of the days on which they came', () => {
  const { requests } = monthsOf(
    [change('2026-02-28', 0, 0, 7), change('2026-03-02', 0, 0, 3)],
    0,
    on('2026-03-02'),
  );
  expect(requests.days).toEqual([0, 3]);
  expect(requests.before.at(-1)).toBe(7);
});

test('nothing is stored before the first file, even where changes are missing', () => {
  const { storage } = monthsOf([change('2026-03-02', 0, 50)], 40, on('2026-03-02'));
  expect(storage.days).toEqual([0, 40]);
  expect(Math.min(...storage.before)).toBe(0);
});

test.each([
  ['2026-01-15', '2025-12-01'],
  ['2026-03-31', '2026-02-01'],
])('the month before %s begins on %s', (day, expected) => {
  expect(previousMonthOf(on(day))).toBe(on(expected));
});
