import { expect, test } from 'bun:test';
import { count, formatBytes, formatCount, truncate } from './units.ts';

const sizes: [number, string][] = [
  [0, '0.00 KiB'],
  [1, '0.00 KiB'],
  [1024, '1.00 KiB'],
  [1_048_575, '1,024.00 KiB'],
  [1_048_576, '1.00 MiB'],
  [1_524_713_390, '1.42 GiB'],
  [2 ** 40, '1.00 TiB'],
  [2 ** 60, '1,024.00 PiB'],
];
for (const [bytes, text] of sizes) {
  test(`${bytes} bytes are ${text}`, () => expect(formatBytes(bytes)).toBe(text));
}

test('a count has commas between the thousands, and a noun in its number', () => {
  const counts = [0, 999, 1_000, -100, -1_000, 1_234_567, 2 ** 53 - 1];
  expect(counts.map(formatCount)).toEqual(counts.map((count) => count.toLocaleString('en-US')));
  expect(formatCount(1_234_567)).toBe('1,234,567');
  expect(count(1, 'file')).toBe('1 file');
  expect(count(0, 'file')).toBe('0 files');
  expect(count(12_345, 'file')).toBe('12,345 files');
});

test('a name of forty letters stays whole, a longer one ends in an ellipsis', () => {
  expect(truncate('a'.repeat(40))).toBe('a'.repeat(40));
  expect(truncate('a'.repeat(41))).toBe(`${'a'.repeat(39)}…`);
});

test('a letter outside the basic plane is never cut in two', () => {
  expect(truncate('😀'.repeat(41))).toBe(`${'😀'.repeat(39)}…`);
});
