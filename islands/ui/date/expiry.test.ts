import { expect, test } from 'bun:test';
import { dayOf } from './day-range.ts';
import { expiryOf } from './expiry.ts';

test('a token is good until the last second of the chosen day, or for ever', () => {
  expect(expiryOf('')).toBe(0);
  for (const day of ['2027-01-31', '2028-02-29', '2026-12-31']) {
    const end = expiryOf(day);
    expect(dayOf(new Date(end * 1000))).toBe(day);
    expect(dayOf(new Date((end + 1) * 1000))).not.toBe(day);
  }
});
