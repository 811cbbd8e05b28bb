import { beforeAll, expect, test } from 'bun:test';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createBucket, createToken, form } from '../../support/client/api.ts';
import { groupBucket } from '../../support/server/group-server.ts';

const CDN = 'cdn.test';
const { server, user, bucket } = await groupBucket({
  CDN_URL: `http://${CDN}/cdn`,
  TRUST_PROXY: '1',
});
type Bucket = Pick<typeof bucket, 'id' | 'api_key'>;

async function put(path: string, text: string, fields: Record<string, string> = {}, to = bucket) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const body = form({ path, on_conflict: 'replace', ...fields }, new Blob([text]), name);
  const url = `${server.url}/files/upload/file/${to.id}`;
  const headers = { 'x-api-key': to.api_key };
  const response = await fetch(url, { method: 'POST', body, headers });
  expect(response.status).toBe(201);
  return (await response.json()) as FileWire;
}
const setRules = async (rules: object, to: Bucket = bucket) => {
  const response = await fetch(`${server.url}/buckets/delivery-rules/${to.id}`, {
    method: 'PUT',
    headers: { ...user.authorization, 'content-type': 'application/json' },
    body: JSON.stringify(rules),
  });
  expect(response.status).toBe(200);
  return response.json();
};

type Options = { host?: string; headers?: Record<string, string>; method?: string; in?: Bucket };

/** Opens a path as a browser at the delivery host does, or at another one. */
async function at(path: string, { host = CDN, headers, method, in: of = bucket }: Options = {}) {
  const response = await fetch(`${server.url}/cdn/${of.id}/~/${path}`, {
    ...{ method, redirect: 'manual' },
    headers: { host, ...headers },
  });
  const header = (name: string) => response.headers.get(name);
  return {
    text: await response.text(),
    status: response.status,
    header,
    isShown: header('content-disposition')?.startsWith('inline') ?? false,
  };
}

beforeAll(async () => {
  await put('index.html', 'home');
  await put('docs/index.html', 'docs');
  await put('docs/a.html', 'a');
  await put('a:b/index.html', 'colon');
  await put('empty/other.html', 'other');
  await put('app.js', 'alert(1)');
  await put('old.xhtml', '<html xmlns="http://www.w3.org/1999/xhtml"/>');
  await put('secret/index.html', 'secret', { access: 'private' });
  await put('hidden.html', 'hidden', { access: 'private' });
  await put('404.html', 'nothing here');
});

test('a bucket is no site until its owner says so', async () => {
  for (const path of ['', 'docs/', 'docs', 'none']) expect((await at(path)).status).toBe(404);
  const page = await at('docs/a.html');
  expect([page.text, page.isShown]).toEqual(['a', false]);
  expect(page.header('content-security-policy')).toContain("default-src 'none'");
  expect(await setRules({ static_site: true })).toMatchObject({ static_site: true });
  expect((await at('docs/a.html')).isShown).toBe(true);
});

test('folders show their index.html, and a folder without its slash leads to it', async () => {
  for (const [path, text] of [
    ['', 'home'],
    ['docs/', 'docs'],
    ['docs/index.html', 'docs'],
    ['docs/?x=1', 'docs'],
  ] as const) {
    const page = await at(path);
    expect([path, page.status, page.text, page.isShown]).toEqual([path, 200, text, true]);
    expect(page.header('content-type')).toBe('text/html; charset=utf-8');
    expect(page.header('cache-control')).toBe('public, max-age=60');
  }
  const redirect = await at('docs?x=1');
  expect([redirect.status, redirect.header('location')]).toEqual([302, './docs/?x=1']);
  expect((await at('a:b')).header('location')).toBe('./a:b/');
  expect((await at('empty')).status).toBe(404);
  expect((await at('empty/')).status).toBe(404);
});

test('a page runs in a sandbox that has no origin, and tells nobody its address', async () => {
  for (const path of ['', 'docs/a.html', 'none']) {
    const page = await at(path);
    expect(page.header('content-security-policy')).toBe('sandbox allow-scripts');
    expect(page.header('referrer-policy')).toBe('no-referrer');
    expect(page.header('x-content-type-options')).toBe('nosniff');
    expect(page.header('set-cookie')).toBeNull();
  }
  // Only pages are shown: what a browser could run otherwise is a download as anywhere.
  for (const path of ['app.js', 'old.xhtml']) {
    const other = await at(path);
    expect([path, other.isShown]).toEqual([path, false]);
    expect(other.header('content-security-policy')).toContain('sandbox');
    expect(other.header('content-security-policy')).not.toContain('allow-scripts');
  }
  expect((await at('docs/a.html?download')).isShown).toBe(false);
});

test('on the host of the dashboard, and by id, nothing is a page', async () => {
  const file = await put('docs/a.html', 'a');
  for (const host of [new URL(server.url).host, 'localhost', 'other.test', 'x.cdn.test']) {
    for (const path of ['', 'docs/', 'docs']) expect((await at(path, { host })).status).toBe(404);
    const missing = await at('none', { host });
    expect(missing.header('content-type')).not.toContain('html');
    const page = await at('docs/a.html', { host });
    expect([page.status, page.isShown]).toEqual([200, false]);
    expect(page.header('content-security-policy')).not.toContain('allow-scripts');
    // What was delivered on the other host just now is not what comes from a cache here.
    expect((await at('docs/a.html')).isShown).toBe(true);
    expect((await at('docs/a.html', { host })).isShown).toBe(false);
  }
  const { pathname } = new URL(file.url ?? '');
  for (const host of [CDN, 'localhost']) {
    const byId = await fetch(`${server.url}${pathname}`, { headers: { host } });
    expect(byId.headers.get('content-disposition')).toStartWith('attachment');
    await byId.arrayBuffer();
  }
});

test('what is missing shows 404.html, whole and kept by nobody, also for a hidden file', async () => {
  const etag = (await at('404.html')).header('etag') ?? '';
  const conditions: Record<string, string>[] = [
    {},
    { range: 'bytes=0-3' },
    { 'if-none-match': etag },
  ];
  for (const headers of conditions) {
    const page = await at('none/at/all', { headers });
    expect([page.status, page.text, page.isShown]).toEqual([404, 'nothing here', true]);
    expect(page.header('cache-control')).toBe('no-store');
  }
  const head = await at('none', { method: 'HEAD' });
  expect([head.status, head.text, head.header('content-length')]).toEqual([404, '', '12']);
  const missing = await at('none.html');
  for (const path of [
    'hidden.html',
    'hidden.html?jwt=wrong',
    'secret/',
    'secret',
    'secret?jwt=x',
  ]) {
    const hidden = await at(path);
    expect([path, hidden.status, hidden.text]).toEqual([path, 404, missing.text]);
    expect(hidden.header('location')).toBeNull();
  }
  await put('none.html', 'now it is there');
  expect((await at('none.html')).text).toBe('now it is there');
  expect((await at('404.html')).status).toBe(200);
});

test('a token opens the private pages of a site, which leads to the folder with it', async () => {
  const token = await createToken(server, bucket);
  expect((await at(`secret/?jwt=${token}`)).text).toBe('secret');
  const page = await at(`hidden.html?jwt=${token}`);
  expect([page.text, page.isShown]).toEqual(['hidden', true]);
  expect(page.header('cache-control')).toBe('private, no-store');
  const redirect = await at(`secret?jwt=${token}`);
  expect([redirect.status, redirect.header('location')]).toEqual([302, `./secret/?jwt=${token}`]);
  expect(redirect.header('cache-control')).toBe('private, no-store');
});

test('the rules of the bucket come before every page and every redirect', async () => {
  await setRules({ denied_ips: ['198.51.100.9'] });
  const headers = { 'x-forwarded-for': '198.51.100.9' };
  for (const path of ['', 'docs', 'docs/', 'none']) {
    const refused = await at(path, { headers });
    expect([path, refused.status]).toEqual([path, 403]);
    expect(refused.header('location')).toBeNull();
    expect([302, 200, 404]).toContain((await at(path)).status);
  }
  await setRules({ denied_ips: [], allowed_referrers: ['example.com'] });
  const elsewhere = { referer: 'https://evil.example/' };
  for (const path of ['', 'docs', 'none']) {
    expect((await at(path, { headers: elsewhere })).header('x-error-code')).toBe(
      'referrer-refused',
    );
  }
  await setRules({ allowed_referrers: [] });
});

test('a site without 404.html, another bucket, and a site that is switched off show none', async () => {
  const other = await createBucket(server, user.token);
  await put('docs/index.html', 'theirs', {}, other);
  for (const path of ['docs/', 'docs', 'none']) {
    expect((await at(path, { in: other })).status).toBe(404);
  }
  await setRules({ static_site: true }, other);
  expect((await at('docs/', { in: other })).text).toBe('theirs');
  const missing = await at('none', { in: other });
  expect([missing.status, missing.header('x-error-code')]).toEqual([404, 'not-found']);
  await setRules({ static_site: false }, other);
  expect((await at('docs/', { in: other })).status).toBe(404);
  expect((await at('docs/index.html', { in: other })).isShown).toBe(false);
});

test.each([null, 'yes', 1])('static_site must not be %p', async (static_site) => {
  const response = await fetch(`${server.url}/buckets/delivery-rules/${bucket.id}`, {
    method: 'PUT',
    headers: { ...user.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ static_site }),
  });
  expect(response.status).toBe(422);
});
