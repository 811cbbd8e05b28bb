import { expect, test } from 'bun:test';
import { clientAddress } from './client-address.ts';

const cases: [string, string | null, number, string][] = [
  ['203.0.113.9', null, 0, '203.0.113.9'],
  ['203.0.113.9', '198.51.100.1', 0, '203.0.113.9'],
  ['127.0.0.1', '198.51.100.1', 1, '198.51.100.1'],
  ['127.0.0.1', '1.1.1.1, 198.51.100.1', 1, '198.51.100.1'],
  ['127.0.0.1', '1.1.1.1, 198.51.100.1, 10.0.0.1', 2, '198.51.100.1'],
  ['127.0.0.1', '1.1.1.1', 2, '127.0.0.1'],
  ['127.0.0.1', 'nonsense', 1, '127.0.0.1'],
  ['127.0.0.1', '', 1, '127.0.0.1'],
  ['::ffff:203.0.113.9', null, 0, '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', null, 0, '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', null, 0, '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', null, 0, '2001:db8:1:2::/64'],
  ['::1', null, 0, '0:0:0:0::/64'],
];
for (const [socket, forwarded, hops, expected] of cases) {
  test(`${socket} with ${forwarded ?? 'nothing'} forwarded over ${hops} proxies is ${expected}`, () => {
    const headers = new Headers(forwarded === null ? {} : { 'x-forwarded-for': forwarded });
    expect(clientAddress(headers, socket, hops)).toBe(expected);
  });
}
