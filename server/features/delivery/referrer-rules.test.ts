import { expect, test } from 'bun:test';
import { isReferrerAllowed } from './referrer-rules.ts';

const SITES = ['example.com', '*.example.org'];

const cases: [name: string, headers: Record<string, string>, isAllowed: boolean][] = [
  ['an allowed site', { referer: 'https://example.com/a?b' }, true],
  ['an allowed site on another port', { referer: 'http://example.com:8080/' }, true],
  ['a host below an allowed one', { referer: 'https://www.example.com/' }, false],
  ['a host that ends like an allowed one', { referer: 'https://notexample.com/' }, false],
  ['a host that starts like an allowed one', { referer: 'https://example.com.evil.test/' }, false],
  ['an allowed host as the name of a user', { referer: 'https://example.com@evil.test/' }, false],
  ['an allowed host as a path', { referer: 'https://evil.test/example.com' }, false],
  ['a host below a wildcard', { referer: 'https://a.b.example.org/' }, true],
  ['the host of a wildcard itself', { referer: 'https://example.org/' }, false],
  ['no URL', { referer: 'example.com' }, false],
  ['no referrer', {}, true],
  ['no referrer, by the browser’s own', { 'sec-fetch-site': 'none' }, true],
  [
    'a page that hides itself',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    false,
  ],
  [
    'a link that hides its page',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    true,
  ],
];

test.each(cases)('%s', (_, headers, isAllowed) => {
  expect(isReferrerAllowed(new Headers(headers), SITES)).toBe(isAllowed);
});
