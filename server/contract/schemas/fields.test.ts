import { expect, test } from 'bun:test';
import { day } from './fields.ts';

const pattern = new RegExp(day('from').pattern ?? '');

test('every day of four centuries is one, and nothing is set where it is empty', () => {
  for (let at = Date.UTC(1900, 0, 1); at < Date.UTC(2300, 0, 1); at += 86_400_000) {
    const text = new Date(at).toISOString().slice(0, 10);
    if (!pattern.test(text)) throw new Error(`${text} was refused`);
  }
  expect(pattern.test('')).toBe(true);
});

test.each([
  '2025-02-29',
  '1900-02-29',
  '2024-02-30',
  '2025-04-31',
  '2025-13-01',
  '2025-00-10',
  '2025-01-32',
  '01/02/2025',
  '2025-02-28T00:00:00Z',
])('%p is no day', (text) => {
  expect(pattern.test(text)).toBe(false);
});
