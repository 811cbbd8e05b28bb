import { expect, test } from 'bun:test';
import { MAX_ROWS, walkOf } from './use-walk-to-end.ts';

test('End goes on while the server has more rows, and ends at the last one', () => {
  expect(walkOf(50, 50, false)).toBe('going');
  expect(walkOf(50, 150, false)).toBe('going');
  expect(walkOf(50, 170, true)).toBe('ended');
});

test('one press of End loads a bounded number of rows, wherever it began', () => {
  expect(walkOf(50, 49 + MAX_ROWS, false)).toBe('going');
  expect(walkOf(50, 50 + MAX_ROWS, false)).toBe('paused');
  expect(walkOf(30_000, 29_999 + MAX_ROWS, false)).toBe('going');
  expect(walkOf(50, 50 + MAX_ROWS, true)).toBe('ended');
});
