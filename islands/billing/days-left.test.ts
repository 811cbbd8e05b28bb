import { expect, test } from 'bun:test';
import { daysLeft, nextThreshold } from './days-left.ts';

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

test('what happens next while a balance falls is an email at one dollar, and then at zero', () => {
  const recent = { per_day: 0.5, days: 7 };
  expect([
    nextThreshold(3, recent),
    nextThreshold(1.2, recent),
    nextThreshold(1, recent),
    nextThreshold(3, { per_day: 0.001, days: 7 }),
    nextThreshold(3, null),
    nextThreshold(0, recent),
  ]).toEqual([
    'We’ll email you at $1.00, in about 4 days.',
    'We’ll email you at $1.00, in less than a day.',
    'We’ll email you at $0.00, in about 2 days.',
    'We’ll email you at $1.00, in more than a year.',
    'We’ll email you at $1.00.',
    null,
  ]);
});
