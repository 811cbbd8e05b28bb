import { expect, test } from 'bun:test';
import { countText } from './list-count.tsx';

test.each([
  [{ files: 1, isComplete: true }, '1 file'],
  [{ files: 50, total: 1234, isComplete: false }, '1,234 files'],
  [{ files: 50, isComplete: false }, 'More than 50 files'],
  // What is loaded is newer than what was counted.
  [{ files: 3, total: 2, isComplete: true }, '3 files'],
  [{ files: 2, folders: 1, isComplete: true }, '1 folder, 2 files'],
  [{ files: 0, folders: 2, isComplete: true }, '2 folders'],
  [{ files: 20, folders: 30, isComplete: false }, 'More than 30 folders, 20 files'],
  [{ files: 0, folders: 50, isComplete: false }, 'More than 50 folders'],
  [{ files: 0, isComplete: true }, '0 files'],
])('%p is %p', (counts, text) => {
  expect(countText(counts)).toBe(text);
});
