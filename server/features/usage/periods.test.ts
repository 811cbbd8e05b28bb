import { expect, test } from 'bun:test';
import { DAY, GIB, HOUR } from '../../contract/limits.ts';
import { byteMsOf, dayOf, dayText, hourOf, monthOf, storedByHour } from './periods.ts';

const AT = Date.parse('2026-02-28T23:59:59.999Z');
const PIB = 1024 * 1024 * GIB;

test('hours, days and months begin as UTC has them', () => {
  expect(new Date(hourOf(AT)).toISOString()).toBe('2026-02-28T23:00:00.000Z');
  expect(dayText(dayOf(AT))).toBe('2026-02-28');
  expect(dayText(monthOf(AT + 1))).toBe('2026-03-01');
});

test('what is stored over hours is cut at their ends, and nothing is lost', () => {
  const pieces = storedByHour(3 * GIB + 7, AT, AT + 2 * HOUR + 5);
  expect(pieces.map(({ hour }) => new Date(hour).toISOString().slice(5, 13))).toEqual([
    '02-28T23',
    '03-01T00',
    '03-01T01',
    '03-01T02',
  ]);
  const total = pieces.reduce((sum, piece) => sum + byteMsOf(piece), 0n);
  expect(total).toBe((3n * BigInt(GIB) + 7n) * BigInt(2 * HOUR + 5));
});

test('pebibytes over a month are exact, and each hour fits a number', () => {
  const bytes = 7 * PIB + 1;
  const pieces = storedByHour(bytes, AT, AT + 31 * DAY);
  const exact = BigInt(bytes) * BigInt(31 * DAY);
  expect(pieces.reduce((sum, piece) => sum + byteMsOf(piece), 0n)).toBe(exact);
  for (const column of ['stored_gib_ms', 'stored_byte_ms'] as const) {
    expect(pieces.every((piece) => Number.isSafeInteger(piece[column]))).toBe(true);
  }
});

test('no time, or time that runs backwards, and no bytes are nothing', () => {
  expect(storedByHour(5, AT, AT)).toEqual([]);
  expect(storedByHour(5, AT, AT - HOUR)).toEqual([]);
  expect(storedByHour(0, AT, AT + HOUR)).toEqual([]);
});
