import { beforeAll, expect, test } from 'bun:test';
import { build } from '../../../scripts/build.ts';
import { NO_DELIVERY_RULES } from '../../contract/delivery-limits.ts';
import { NO_UPLOAD_RULES } from '../../contract/files/upload-rules.ts';
import { notFound } from '../../errors.ts';
import { Island } from '../islands/island.tsx';
import { notFoundPage, pageOfError, renderPage } from './page.tsx';

beforeAll(async () => {
  await build();
});

const viewer = { userId: 'u1', email: 'ana@example.com', isAdmin: false, credit: 1.239 };
const bucket = {
  id: 'b1',
  name: '</script><script>alert(1)</script>',
  webhook: '',
  webhook_disabled_at: null,
  region: null,
  status: 'running' as const,
  total_uploads: 0,
  usage: 0,
  bandwidth: 0,
  bandwidth_limit: null,
  bandwidth_daily_limit: null,
  ...NO_DELIVERY_RULES,
  keep_deleted_days: 0,
  keep_versions: 0,
  keep_originals: true,
  s3_name: null,
  process_s3_uploads: false,
  list_public: false,
  block_public_access: false,
  expiry_rules: [],
  ...NO_UPLOAD_RULES,
  delivery_stopped_until: null,
  transforms: 'open' as const,
  date: '2025-01-31T23:30:00.000Z',
};
const listPage = () =>
  renderPage({
    title: 'Your Buckets',
    viewer,
    at: 'buckets',
    body: (
      <Island
        name="home"
        props={{
          ...{ path: '/dashboard', search: '', first: { data: [bucket], nextId: null } },
          ...{ previews: {}, summary: null },
        }}
      />
    ),
  });
function Failing(): never {
  throw new Error('broken');
}
const scripts = (html: string) => [...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);

test('every script of a page carries the nonce of its policy, or is data', async () => {
  const response = await listPage();
  const policy = response.headers.get('content-security-policy') ?? '';
  const nonce = /'nonce-(.+?)'/.exec(policy)?.[1];
  const tags = scripts(await response.text());
  expect(tags.length).toBeGreaterThan(3);
  for (const tag of tags) {
    if (!tag.includes('type="application/json"')) expect(tag).toContain(`nonce="${nonce}"`);
  }
});

test('a page with an island says what it needs where scripts are off, and only such a page', async () => {
  const notice = /<noscript>[^<]*<p[^>]*>This page needs JavaScript\./g;
  expect((await (await listPage()).text()).match(notice)).toHaveLength(1);
  expect((await (await notFoundPage({ viewer: null })).text()).match(notice)).toBeNull();
});

test('an island comes rendered, with its props, and no name in them can end the script', async () => {
  const html = await (await listPage()).text();
  expect(html).toContain('data-island="home"');
  expect(html).toContain('Your Buckets</h1>');
  expect(html).not.toContain('<script>alert(1)');
  const json = /<script type="application\/json" data-props="[^"]+">(.*?)<\/script>/s.exec(html);
  expect(JSON.parse(json?.[1] ?? '').first.data[0].name).toBe(bucket.name);
});

test('no element has a style attribute, which the policy would refuse', async () => {
  expect(await (await listPage()).text()).not.toMatch(/<[^>]+ style="/);
});

test('a browser shows nothing before it has read the frame of the page to its end', async () => {
  const html = await (await listPage()).text();
  const [, end = 'none'] =
    /<link rel="expect" href="#([^"]+)" blocking="render"\/>/.exec(html) ?? [];
  expect(html.indexOf('rel="expect"')).toBeLessThan(html.indexOf('</head>'));
  expect(html).toContain(`<template id="${end}"></template></body>`);
});

test('a page without islands loads no React', async () => {
  const html = await (await renderPage({ title: 'Plain', viewer: null, body: 'Hello' })).text();
  expect(html).not.toContain('/assets/hydrate');
  expect(scripts(html)).toHaveLength(2);
});

test('two renderings never share a nonce', async () => {
  const policies = await Promise.all([listPage(), listPage()]);
  expect(new Set(policies.map((one) => one.headers.get('content-security-policy'))).size).toBe(2);
});

test('a page that can not be rendered rejects instead of sending half of itself', async () => {
  await expect(renderPage({ title: 'Broken', viewer: null, body: <Failing /> })).rejects.toThrow(
    'broken',
  );
});

test('what is not there is a page with a way home', async () => {
  for (const response of [
    await notFoundPage({ viewer: null }),
    await pageOfError(notFound('Bucket'), { viewer }),
  ]) {
    expect(response.status).toBe(404);
    const html = await response.text();
    expect(html).toContain('Something&#x27;s missing.');
    expect(html).toMatch(/<a href="\/"[^>]*>Go Home<\/a>/);
  }
});

test('a mistake of ours is not dressed up as a known failure', () => {
  expect(() => pageOfError(new TypeError('bug'), { viewer })).toThrow('bug');
});

test.each([
  ['https://docs.example/', 'https://docs.example/'],
  [null, '/docs'],
])('with DOCS_URL %p, Docs leads to %p in both menus', async (docsUrl, target) => {
  const html = await (await renderPage({ title: 'Page', viewer, docsUrl, body: '' })).text();
  expect(html.split(`href="${target}"`)).toHaveLength(3);
});
