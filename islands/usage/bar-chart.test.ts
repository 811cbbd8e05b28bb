import { expect, test } from 'bun:test';
import { fullDay, labelledDays, shortDay } from './bar-chart.tsx';

const days = Array.from({ length: 30 }, (_, index) =>
  new Date(Date.UTC(2025, 0, index + 1)).toISOString().slice(0, 10),
);

test('a day is short on the axis and has its year in the tooltip, in UTC', () => {
  expect(shortDay('2025-01-31')).toBe('Jan 31');
  expect(fullDay('2025-01-31')).toBe('January 31, 2025');
});

test('as many days are labelled as have room, the last among them', () => {
  expect(labelledDays(days, 40).size).toBe(30);
  expect([...labelledDays(days, 7)]).toEqual([
    '2025-01-05',
    '2025-01-10',
    '2025-01-15',
    '2025-01-20',
    '2025-01-25',
    '2025-01-30',
  ]);
  expect([...labelledDays(days, 0)]).toEqual(['2025-01-30']);
  expect(labelledDays([], 5).size).toBe(0);
});
