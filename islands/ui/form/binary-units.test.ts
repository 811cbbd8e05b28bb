import { expect, test } from 'bun:test';
import { GIB, MIB } from '../../../server/contract/limits.ts';
import { parseUnits, toUnits } from './binary-units.ts';

test.each([
  ['', null],
  ['0', 0],
  ['1', GIB],
  ['0.5', GIB / 2],
  ['1.25', 1.25 * GIB],
  ['1048576', 1048576 * GIB],
  ['1048577', undefined],
  ['1.234', undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['ten', undefined],
])('%p GiB are %p bytes', (text, bytes) => {
  expect(parseUnits(text)).toBe(bytes as never);
  if (bytes !== undefined) expect(toUnits(bytes)).toBe(text);
});

test('other units have their own bytes', () => {
  expect(parseUnits('2.5', MIB)).toBe(2.5 * MIB);
  expect(toUnits(2.5 * MIB, MIB)).toBe('2.5');
});
