import { beforeAll, expect, test } from 'bun:test';
import { build } from '../../../scripts/build.ts';
import type { Viewer } from '../../contract/wire.ts';
import { renderPage } from '../render/page.tsx';
import type { TopBarLocation } from './top-bar.tsx';

beforeAll(async () => {
  await build();
});

const ana = { userId: 'u1', email: 'ana@example.com', isAdmin: false, credit: 1.239 };
const bucket = { id: 'b1', name: '<Harbour>', api_key: 'whf_secret' };

const page = async (viewer: Viewer | null, at?: TopBarLocation) => {
  const html = await (await renderPage({ title: 'Page', viewer, at, body: '' })).text();
  const menu = /<div id="compact-menu".*?<\/div>/s.exec(html)?.[0] ?? '';
  return { html, menu };
};
const PICKER = 'data-island="bucket-picker"';

test('only the admin has a way to /admin, in the bar and in the compact menu', async () => {
  expect((await page(null)).html).not.toContain('/admin"');
  expect((await page(ana)).html).not.toContain('/admin"');
  const { html, menu } = await page({ ...ana, isAdmin: true });
  expect(html.split('href="/admin/overview"')).toHaveLength(3);
  expect(menu).toContain('href="/admin/overview"');
});

test('the bucket picker is everywhere but on the list of all buckets, and never for visitors', async () => {
  expect((await page(ana)).html).toContain(PICKER);
  expect((await page(ana)).html).toContain('>Select Bucket<');
  expect((await page(ana, 'buckets')).html).not.toContain(PICKER);
  expect((await page(null)).html).not.toContain(PICKER);
});

test('on a page of a bucket the picker says its name, and the page holds nothing else of it', async () => {
  const { html } = await page(ana, bucket);
  expect(html).toContain('data-bucket-name="true">&lt;Harbour&gt;</span>');
  expect(html).not.toContain('>Select Bucket<');
  expect(html).not.toContain('whf_secret');
});

test('a page that has nothing but the picker loads no React until somebody is about to use it', async () => {
  const { html } = await page(ana, bucket);
  expect(html).toMatch(/data-lazy="\/assets\/hydrate-[^"]+\.js"/);
  expect(html).not.toMatch(/<script[^>]+hydrate/);
  expect(html).not.toContain('modulepreload');
});

test('pages of the dashboard are fetched ahead for who is signed in, and never the way out', async () => {
  const { html } = await page(ana);
  const rules = /<script type="speculationrules"[^>]*>(.*?)<\/script>/s.exec(html)?.[1] ?? '';
  const [rule] = JSON.parse(rules).prefetch;
  expect(JSON.stringify(rule.where)).toContain('/dashboard/*');
  expect(rules).not.toMatch(/logout|prerender|immediate/);
  expect((await page(null)).html).not.toContain('speculationrules');
});

test('billing shows the balance, floored to cents, in the bar and in the compact menu, to nobody but its owner', async () => {
  const billing = (html: string) => html.split('href="/billing"').length - 1;
  const { html, menu } = await page(ana);
  expect([billing(html), billing(menu)]).toEqual([2, 1]);
  expect(html.match(/data-balance="true"[^>]*>[^<]*/g)?.map((one) => one.split('>')[1])).toEqual([
    '$1.23',
    '$1.23',
  ]);
  const owing = await page({ ...ana, credit: -0.001 });
  expect(owing.menu).toContain('>-$0.01<');
  expect((await page({ ...ana, credit: null })).html).toContain('>Error</span>');
  expect((await page(null)).html).not.toContain('data-balance');
});

test('the name leads home; visitors get the way to log in, others their own pages, and docs in a new tab', async () => {
  const link = (html: string, href: string, text: string) =>
    [...html.matchAll(/<a href="([^"]+)"[^>]*>(.*?)<\/a>/gs)].some(
      ([, to, inside = '']) => to === href && inside.replace(/<[^>]+>/g, '').trim() === text,
    );
  const visitor = (await page(null)).html;
  expect(link(visitor, '/', 'Wharf')).toBe(true);
  expect(link(visitor, '/login', 'Login')).toBe(true);
  for (const path of ['/dashboard', '/profile', '/billing'])
    expect(visitor).not.toContain(`"${path}"`);
  const { html } = await page(ana);
  expect(link(html, '/', 'Wharf')).toBe(true);
  expect(link(html, '/dashboard', 'Dashboard')).toBe(true);
  expect(link(html, '/profile', 'Profile')).toBe(true);
  expect(html).not.toContain('"/login"');
  expect(html).toMatch(/<a href="\/docs" target="_blank" rel="noreferrer"[^>]*>/);
});
