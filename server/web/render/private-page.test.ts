import { expect, test } from 'bun:test';
import { privatePage } from './page.tsx';

const site = { accounts: { viewerOf: async () => null }, docsUrl: null, filesFrom: [] };
const visit = (path: string) =>
  privatePage(site, new Request(`http://localhost${path}`), () => Promise.reject(new Error('no')));

test('a visitor is led to the login, which alone learns where the visitor wanted to go', async () => {
  const response = await visit('/dashboard/files/b1?type=video&q=%C3%A4');
  expect([response.status, response.headers.get('location')]).toEqual([302, '/login']);
  const cookie = response.headers.get('set-cookie') ?? '';
  expect(cookie).toContain('Path=/login');
  expect(cookie).toContain('Max-Age=60');
  const value = new Bun.CookieMap(cookie.split(';')[0] ?? '').get('wharf_return');
  expect(value).toBe('/dashboard/files/b1?type=video&q=%C3%A4');
});

test('a path that is too long to be remembered leads to the login alone', async () => {
  const response = await visit(`/billing?${'a'.repeat(2_000)}`);
  expect([response.status, response.headers.get('location')]).toEqual([302, '/login']);
  expect(response.headers.get('set-cookie')).toBeNull();
});
