import { expect, test } from 'bun:test';
import { GIB } from '../../../server/contract/limits.ts';
import { formatGib, parseGib } from './gib-amount.ts';

test.each([
  ['', null],
  ['100', 100 * GIB],
  ['0.5', GIB / 2],
  ['1e3', 1000 * GIB],
  ['0', 'invalid'],
  ['-1', 'invalid'],
  ['0.0000000001', 'invalid'],
  ['1e12', 'invalid'],
  ['1,5', 'invalid'],
  ['ten', 'invalid'],
] as const)('%p GiB is %p', (text, bytes) => {
  expect(parseGib(text)).toBe(bytes);
});

test('a limit stays what it is when its field is saved', () => {
  for (const bytes of [null, 1, GIB, 5 * GIB + 1, 123_456_789]) {
    expect(parseGib(formatGib(bytes))).toBe(bytes);
  }
});
