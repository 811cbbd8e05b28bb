import { expect, test } from 'bun:test';
import { folderCursor } from '../../../server/features/files/paths/folder-cursor.ts';
import { isFolderCursorBehind } from './folder-order.ts';

const folder = (position: string) => folderCursor({ isFolder: true, position });
const file = (position: string) => folderCursor({ isFolder: false, position });

test.each([
  ['by name folders are between files', file('b.txt'), folder('a/'), 'name', 'asc', true],
  ['by name in the other direction', file('b.txt'), folder('a/'), 'name', 'desc', false],
  ['a path of any characters', file('ü/😀'), file('ü/ﬀ'), 'name', 'asc', true],
  ['by date folders come first', file('01b'), folder('z/'), 'date', 'desc', true],
  ['and no folder is behind a file', folder('z/'), file('01b'), 'date', 'asc', false],
  ['folders are by name', folder('b/'), folder('a/'), 'size', 'desc', true],
  ['the newest file first', file('01a'), file('01b'), 'date', 'desc', true],
  ['a place is not behind itself', file('01a'), file('01a'), 'date', 'desc', false],
] as const)('%s', (_, cursor, other, sort, order, isBehind) => {
  expect(isFolderCursorBehind(cursor, other, { sort, order })).toBe(isBehind);
});
