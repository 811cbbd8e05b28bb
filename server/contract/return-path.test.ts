import { expect, test } from 'bun:test';
import { toReturnPath } from './return-path.ts';

test.each([
  '/dashboard',
  '/dashboard/files/01k?type=video&q=a%20b',
  '/profile',
  '/billing/success?session_id=x',
  '/admin/logs?text=a',
  '/dashboard?next=https://evil.example/',
])('%s is led back to', (path) => expect(toReturnPath(path)).toBe(path));

test('what a browser would open is what is checked', () => {
  expect(toReturnPath('/login/../billing#top')).toBe('/billing');
  expect(toReturnPath('/dash\nboard')).toBe('/dashboard');
});

test.each([
  '',
  '/',
  '/login',
  '/logout',
  '/dashboards',
  'dashboard',
  '?/dashboard',
  '//evil.example/dashboard',
  '///evil.example/dashboard',
  '/\\evil.example/dashboard',
  '\\\\evil.example/dashboard',
  '/\t/evil.example/dashboard',
  '\n//evil.example/dashboard',
  ' //evil.example/dashboard',
  'https://evil.example/dashboard',
  'http:evil.example/dashboard',
  '//wharf.invalid/dashboard',
  'http://wharf.invalid/dashboard',
  '//user@wharf.invalid/dashboard',
  '/@evil.example/dashboard',
  '/dashboard/..//evil.example',
  '/dashboard/%2e%2e//evil.example',
  '/dashboard/../cdn/a/b/c.html',
  'javascript:alert(1)//dashboard',
  'data:text/html,/dashboard',
  '/\u2028/evil.example',
  `/dashboard?${'a'.repeat(1_024)}`,
])('%j is not', (value) => expect(toReturnPath(value)).toBeNull());

test('nothing leads nowhere', () => {
  expect(toReturnPath(null)).toBeNull();
  expect(toReturnPath(undefined)).toBeNull();
});
