import { expect, test } from 'bun:test';
import { DAY, SECOND } from '../../contract/limits.ts';
import { deriveKeys } from '../../platform/secrets/secrets.ts';
import {
  clearedSessionCookie,
  clientReader,
  cookieNames,
  readCookie,
  sessionCookie,
  trustCookie,
} from './client.ts';

const HTTP = 'http://localhost:3000';
const HTTPS = 'https://files.example.com';
const browserKeys = deriveKeys('a secret of more than thirty-two characters').all('browser');

/** Returns the name and value of a Set-Cookie header, and its attributes in lower case. */
function parsed(header: string) {
  const [pair, ...attributes] = header.split('; ');
  return { pair, attributes: attributes.map((text) => text.toLowerCase()).sort() };
}

/** Reads the client of a request, and returns it with the cookie that it is given. */
function read(
  appUrl: string,
  headers: Record<string, string>,
  countryHeader: string | null = null,
) {
  const set = { headers: {} as Record<string, unknown> };
  const server = { requestIP: () => ({ address: '192.0.2.1' }) };
  const request = new Request(appUrl, { headers });
  const options = { appUrl, browserKeys, trustedHops: 0, countryHeader };
  const client = clientReader(options)({ request, set, server });
  return { client, cookie: set.headers['set-cookie'] as string | undefined };
}

test.each([
  ['over HTTP', HTTP, 'wharf_session=token', []],
  ['over HTTPS, where other hosts can’t set it', HTTPS, '__Host-wharf_session=token', ['secure']],
])(
  'no script reads the session cookie, and no form of another site sends it, %s',
  (_, url, pair, secure) => {
    expect(parsed(sessionCookie(url, 'token', 90 * SECOND))).toEqual({
      pair,
      attributes: ['httponly', 'max-age=90', 'path=/', 'samesite=lax', ...secure].sort(),
    });
  },
);

test.each([
  [HTTP, 'wharf_session=', []],
  [HTTPS, '__Host-wharf_session=', ['secure']],
])('logging out of %s deletes the same cookie', (url, pair, secure) => {
  expect(parsed(clearedSessionCookie(url))).toEqual({
    pair,
    attributes: ['httponly', 'max-age=0', 'path=/', 'samesite=lax', ...secure].sort(),
  });
});

test('a browser gets a name of its own once, for 400 days', () => {
  const first = read(HTTPS, {});
  const { pair = '', attributes } = parsed(first.cookie ?? '');
  expect(pair).toMatch(/^__Host-wharf_browser=[\da-f-]{36}$/);
  expect(attributes).toContain('httponly');
  expect(attributes).toContain(`max-age=${(400 * DAY) / SECOND}`);
  const again = read(HTTPS, { cookie: pair });
  expect([again.client.browser, again.cookie]).toEqual([first.client.browser, undefined]);
  expect(read(HTTPS, {}).client.browser).not.toBe(first.client.browser);
});

test('over HTTPS a cookie without the prefix, which another host may have set, is not read', () => {
  const request = new Request(HTTPS, { headers: { cookie: 'wharf_session=planted' } });
  expect(readCookie(request, cookieNames(HTTPS).session)).toBeNull();
  expect(readCookie(request, cookieNames(HTTP).session)).toBe('planted');
});

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0', 'Firefox on Linux'],
  ['', 'Unknown device'],
  ['nonsense', 'Unknown device'],
])('the device of %p is %s', (agent, device) => {
  expect(read(HTTP, { 'user-agent': agent }).client.device).toBe(device);
});

test.each([
  ['DE', 'cf-ipcountry', 'DE'],
  ['DE', null, null],
  // Cloudflare's codes of what it doesn't know, and of Tor.
  ['XX', 'cf-ipcountry', null],
  ['T1', 'cf-ipcountry', null],
  ['de', 'cf-ipcountry', null],
  ['Germany<script>', 'cf-ipcountry', null],
])('a country %p in the header %p is %p', (value, header, country) => {
  expect(read(HTTP, { 'cf-ipcountry': value }, header).client.country).toBe(country);
});

test('the cookie of a trusted browser is that of its user alone', () => {
  const { pair } = parsed(trustCookie(HTTPS, 'ada', 'token', 30 * DAY));
  expect(pair).toBe('__Host-wharf_trust_ada=token');
  const { client } = read(HTTPS, { cookie: `__Host-wharf_browser=b; ${pair}` });
  expect([client.trustTokenOf('ada'), client.trustTokenOf('eve')]).toEqual(['token', null]);
});
