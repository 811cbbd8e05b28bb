import { expect, test } from 'bun:test';
import { daysLeft } from './days-left.ts';

test.each([
  [25, null, null],
  [0, { days: 7, per_day: 0.1 }, null],
  [-3, { days: 7, per_day: 0.1 }, null],
  [25, { days: 7, per_day: 0 }, null],
  [
    0.05,
    { days: 7, per_day: 0.1 },
    'Less than a day left at $0.10 a day, the average of the last 7 days.',
  ],
  [
    0.15,
    { days: 2, per_day: 0.1 },
    'About 1 day left at $0.10 a day, the average of the last 2 days.',
  ],
  [
    25,
    { days: 1, per_day: 0.58 },
    'About 43 days left at $0.58 a day, which was yesterday’s charge.',
  ],
  [
    25,
    { days: 7, per_day: 0.0042 },
    'More than a year left at <$0.01 a day, the average of the last 7 days.',
  ],
])('a balance of %p at %p: %p', (credit, recent, text) => {
  expect(daysLeft(credit, recent)).toBe(text);
});
