import { expect, test } from 'bun:test';
import { isCursorBehind } from './list-orders.ts';

test.each([
  ['01b', '01a', 'asc', true],
  ['01a', '01b', 'desc', true],
  ['01a', '01b', 'asc', false],
  ['01a', '01a', 'asc', false],
  ['01a', '01a', 'desc', false],
  ['9.01a', '10.01a', 'desc', true],
  ['10.01a', '9.01a', 'asc', true],
  ['-5.01a', '3.01a', 'asc', false],
  ['7.9.01a', '7.10.01a', 'desc', true],
  ['7.9.01b', '7.9.01a', 'desc', false],
] as const)('%p is behind %p, %p: %p', (cursor, other, order, isBehind) => {
  expect(isCursorBehind(cursor, other, order)).toBe(isBehind);
});
