import { expect, test } from 'bun:test';
import { GIB } from '../../../server/contract/limits.ts';
import { parseGibibytes, toGibibytes } from './gibibytes.ts';

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
  expect(parseGibibytes(text)).toBe(bytes as never);
  if (bytes !== undefined) expect(toGibibytes(bytes)).toBe(text);
});
