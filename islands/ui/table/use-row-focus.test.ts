import { expect, test } from 'bun:test';
import { rowAfter } from './use-row-focus.ts';

test.each([
  ['ArrowDown', 5, 6],
  ['ArrowUp', 5, 4],
  ['PageDown', 5, 15],
  ['PageUp', 15, 5],
  ['Home', 5, 0],
  ['End', 5, 99],
])('%p leads from row %p to %p', (key, at, to) => {
  expect(rowAfter(key, at, 100, 10)).toBe(to);
});

test('no key leads out of the list', () => {
  expect(rowAfter('ArrowUp', 0, 100, 10)).toBe(0);
  expect(rowAfter('ArrowDown', 99, 100, 10)).toBe(99);
  expect(rowAfter('PageUp', 3, 100, 10)).toBe(0);
  expect(rowAfter('PageDown', 95, 100, 10)).toBe(99);
});

test('a page moves where not even one row fits, and other keys are the browser’s', () => {
  expect(rowAfter('PageDown', 5, 100, 0)).toBe(6);
  for (const key of ['Enter', 'Tab', 'a', 'ArrowRight']) {
    expect(rowAfter(key, 5, 100, 10)).toBeNull();
  }
});
