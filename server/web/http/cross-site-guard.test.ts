import { expect, test } from 'bun:test';
import { rejectCrossSiteRequests } from './cross-site-guard.ts';

const APP = 'https://wharf.example';
const passes = (headers: Record<string, string>, method = 'POST') => {
  try {
    rejectCrossSiteRequests(new Request(`${APP}/users/logout`, { method, headers }), APP);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ status: 403 });
    return false;
  }
};

const ours: Record<string, string>[] = [
  {},
  { origin: APP },
  { 'sec-fetch-site': 'same-origin', origin: APP },
  { 'sec-fetch-site': 'none' },
  { host: '192.0.2.7:3000', origin: 'http://192.0.2.7:3000' },
  { host: 'wharf.example', origin: 'https://wharf.example.' },
  { host: 'wharf.example.', origin: 'https://wharf.example.' },
];
test.each(ours)('a program and a page of our own pass: %p', (headers) => {
  expect(passes(headers)).toBe(true);
});

const others: Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  { 'sec-fetch-site': 'cross-site', origin: APP },
  { 'sec-fetch-site': 'same-site', origin: 'https://blog.wharf.example' },
  { 'sec-fetch-site': 'something new' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { host: 'evil.example', origin: 'https://evil.example.' },
  { host: 'wharf.example', origin: 'https://wharf.example:8443' },
  { origin: 'http://wharf.example' },
  { origin: 'https://wharf.example.evil.example' },
  { host: 'wharf.example', origin: 'https://evil.example' },
];
test.each(others)('what another site has a browser send is refused: %p', (headers) => {
  expect(passes(headers)).toBe(false);
});

test('to read is free: a link from anywhere leads to us', () => {
  for (const method of ['GET', 'HEAD', 'OPTIONS']) {
    expect(passes({ 'sec-fetch-site': 'cross-site' }, method)).toBe(true);
  }
});
