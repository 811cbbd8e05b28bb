import { expect, test } from 'bun:test';
import { barHeight, labelledDays, scaleOf } from './chart-scale.ts';

const days = Array.from({ length: 30 }, (_, index) =>
  new Date(Date.UTC(2025, 0, index + 1)).toISOString().slice(0, 10),
);

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

test.each([
  [[], [], 0],
  [[0, 0], [], 0],
  [[1], [0, 1], 1],
  [[3, 0], [0, 1, 2, 3], 3],
  [[0.7, 0.2], [0, 0.2, 0.4, 0.6, 0.8], 0.8],
  [[97.3], [0, 20, 40, 60, 80, 100], 100],
  [[1000], [0, 200, 400, 600, 800, 1000], 1000],
  [[1.15], [0, 0.25, 0.5, 0.75, 1, 1.25], 1.25],
])('the lines behind the values %p are at %p', (values, ticks, max) => {
  const scale = scaleOf(values);
  expect(scale.ticks).toEqual(ticks);
  expect(scale.max).toBeCloseTo(max, 9);
});

test('no value is above the last line, and none is without a bar but nothing', () => {
  for (const highest of [1e-7, 0.03, 0.999, 7, 12_345_678, 3.4e12]) {
    const { ticks, max } = scaleOf([highest, 0.1]);
    expect(max).toBeGreaterThanOrEqual(highest * (1 - 1e-9));
    expect(ticks.length).toBeLessThanOrEqual(7);
    expect(barHeight(highest, max, 400)).toBeLessThanOrEqual(400.001);
  }
  expect(barHeight(0, 10, 400)).toBe(0);
  expect(barHeight(0.0001, 10, 400)).toBe(1);
  expect(barHeight(0, 0, 400)).toBe(0);
});
