import { expect, test } from 'bun:test';
import { ambiguousNames, nextOption } from './bucket-options.tsx';

test.each([
  ['ArrowDown', 0, 1],
  ['ArrowDown', -1, 0],
  ['ArrowDown', 9, 0],
  ['ArrowUp', 5, 4],
  ['ArrowUp', 0, 9],
  ['PageDown', 0, 8],
  ['PageDown', 5, 9],
  ['PageUp', 9, 1],
  ['PageUp', 3, 0],
  ['Home', 7, 0],
  ['End', 2, 9],
])('%s leads from %i of ten to %i', (key, at, to) => {
  expect(nextOption(key, at, 10, false)).toBe(to);
});

test('down stays on the last one while more may come, and does not go round', () => {
  expect(nextOption('ArrowDown', 9, 10, true)).toBe(9);
});

test('other keys, and all keys in an empty list, lead nowhere', () => {
  for (const key of ['a', 'Enter', 'Escape', 'Tab', 'ArrowLeft']) {
    expect(nextOption(key, 0, 10, false)).toBeNull();
  }
  expect(nextOption('ArrowDown', -1, 0, false)).toBeNull();
});

test('a name that several buckets have is ambiguous, however it is spelled', () => {
  const names = ['Photos', 'photos ', 'Video', 'Photos 2', 'Ä', 'ä'];
  const buckets = names.map((name) => ({ name }));
  expect(buckets.filter(ambiguousNames(buckets)).map(({ name }) => name)).toEqual([
    'Photos',
    'photos ',
    'Ä',
    'ä',
  ]);
  expect([{ name: 'constructor' }].filter(ambiguousNames([{ name: 'constructor' }]))).toEqual([]);
});
