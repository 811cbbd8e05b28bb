import { expect, test } from 'bun:test';
import { formatBytes, truncate } from './units.ts';

const sizes: [number, string][] = [
  [0, '0.00 KiB'],
  [1, '0.00 KiB'],
  [1024, '1.00 KiB'],
  [1_048_575, '1024.00 KiB'],
  [1_048_576, '1.00 MiB'],
  [1_524_713_390, '1.42 GiB'],
  [2 ** 40, '1.00 TiB'],
  [2 ** 60, '1024.00 PiB'],
];
for (const [bytes, text] of sizes) {
  test(`${bytes} bytes are ${text}`, () => expect(formatBytes(bytes)).toBe(text));
}

test('a name of forty letters stays whole, a longer one ends in an ellipsis', () => {
  expect(truncate('a'.repeat(40))).toBe('a'.repeat(40));
  expect(truncate('a'.repeat(41))).toBe(`${'a'.repeat(39)}…`);
});

test('a letter outside the basic plane is never cut in two', () => {
  expect(truncate('😀'.repeat(41))).toBe(`${'😀'.repeat(39)}…`);
});
