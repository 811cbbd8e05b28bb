import { expect, test } from 'bun:test';
import { accepts } from './content-negotiation.ts';

test.each([
  ['gzip', true],
  ['GZIP', true],
  ['br, gzip;q=0.1', true],
  ['*', true],
  ['br, *;q=0.5', true],
  [null, false],
  ['', false],
  ['identity', false],
  ['gzip;q=0', false],
  ['gzip; q=0.000', false],
  ['*, gzip;q=0', false],
  ['*;q=0', false],
  ['gzipped', false],
])('%p takes gzip: %p', (header, expected) => {
  expect(accepts(header, 'gzip')).toBe(expected);
});
