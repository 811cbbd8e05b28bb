import { expect, test } from 'bun:test';
import { isInRanges, parseIpRange, toIpRanges } from './ip-ranges.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  [' 10.1.2.3/8 ', '10.0.0.0/8'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['2001:DB8::1/32', '2001:db8::/32'],
  ['::1', '::1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
])('%p is the range %p', (text, range) => {
  expect(parseIpRange(text)).toBe(range);
});

test.each([
  '',
  'example.com',
  '127.1',
  '0x7f.0.0.1',
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0.0/-1',
  '10.0.0.0/8/8',
  '2001:db8::/129',
  'fe80::1%eth0',
  'fe80::1%eth0/64',
  '::ffff:10.0.0.0/104',
  '0:0:0:0:0:ffff:10.0.0.0/104',
  '::ffff:a00:0/104',
])('%p is no range', (text) => {
  expect(parseIpRange(text)).toBeNull();
});

test.each([
  ['10.255.0.1', ['10.0.0.0/8'], true],
  ['::ffff:10.255.0.1', ['10.0.0.0/8'], true],
  ['11.0.0.1', ['10.0.0.0/8'], false],
  ['11.0.0.1', ['10.0.0.0/8', '11.0.0.1'], true],
  ['2001:db8:ffff::1', ['2001:db8::/32'], true],
  ['2001:db9::1', ['2001:db8::/32', '0.0.0.0/0'], false],
  ['10.0.0.1', ['::/0'], false],
  ['', ['0.0.0.0/0', '::/0'], false],
  ['10.0.0.1', [], false],
])('%p in %p: %p', (address, ranges, isIn) => {
  expect(isInRanges(address, toIpRanges(ranges))).toBe(isIn);
});
