import { expect, test } from 'bun:test';
import { isTrashCursorBehind } from './use-trash.ts';

test.each([
  ['999-01a', '1000-01a', true],
  ['1000-01a', '999-01a', false],
  ['1000-01a', '1000-01b', true],
  ['1000-01a', '1000-01a', false],
])('%p is behind %p in the trash: %p', (cursor, other, isBehind) => {
  expect(isTrashCursorBehind(cursor, other)).toBe(isBehind);
});
