import { expect, test } from 'bun:test';
import { GIB, HOUR } from '../../contract/limits.ts';
import { byteMsOf, dayOf, dayText, hourOf, monthOf, storedFor } from './periods.ts';

const AT = Date.parse('2026-02-28T23:59:59.999Z');
const PIB = 1024 * 1024 * GIB;

test('hours, days and months begin as UTC has them', () => {
  expect(new Date(hourOf(AT)).toISOString()).toBe('2026-02-28T23:00:00.000Z');
  expect(dayText(dayOf(AT))).toBe('2026-02-28');
  expect(dayText(monthOf(AT + 1))).toBe('2026-03-01');
});

test('pebibytes over an hour are exact, and so is their removal', () => {
  const bytes = 7 * PIB + 1;
  for (const change of [bytes, -bytes]) {
    const stored = storedFor(change, HOUR - 1);
    expect(byteMsOf(stored)).toBe(BigInt(change) * BigInt(HOUR - 1));
    expect(Object.values(stored).every(Number.isSafeInteger)).toBe(true);
  }
});
