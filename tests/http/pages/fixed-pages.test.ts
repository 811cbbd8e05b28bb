import { describe, expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import { signUp } from '../../support/client/api.ts';
import { groupServer } from '../../support/server/group-server.ts';

const server = await groupServer();
const user = await signUp(server, 'fixed@example.org');

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, {
    headers: { accept: 'text/html', 'accept-encoding': 'identity', ...headers },
    decompress: false,
  });
const nonceOf = (response: Response) =>
  /'nonce-([^']+)'/.exec(response.headers.get('content-security-policy') ?? '')?.[1] ?? '';

describe.each(['/', '/docs', '/docs/openapi.json', '/docs/search.json'])('%s', (path) => {
  test('is sent again only if it has changed', async () => {
    const first = await get(path);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[\w-]+"$/);
    for (const encoding of ['identity', 'gzip']) {
      const again = await get(path, { 'accept-encoding': encoding, 'if-none-match': etag });
      expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
      expect(await again.text()).toBe('');
      // A new policy would disable the scripts of the page that the browser has.
      expect(again.headers.get('content-security-policy')).toBeNull();
    }
    expect((await get(path, { 'if-none-match': 'W/"other"' })).status).toBe(200);
  });

  test('is the same with gzip and without', async () => {
    const [plain, packed] = await Promise.all([
      get(path),
      get(path, { 'accept-encoding': 'gzip, br' }),
    ]);
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    const unpacked = gunzipSync(await packed.arrayBuffer()).toString();
    const [one, other] = [nonceOf(plain), nonceOf(packed)];
    expect(other === '' ? unpacked : unpacked.replaceAll(other, one)).toBe(await plain.text());
  });
});

test.each(['/', '/docs'])('%s has a nonce of its own in every response', async (path) => {
  const responses = [await get(path), await get(path), await get(path)];
  expect(new Set(responses.map(nonceOf)).size).toBe(3);
  for (const response of responses) {
    expect(await response.text()).toContain(`<script nonce="${nonceOf(response)}"`);
  }
});

test.each(['/', '/docs'])('%s shows who is logged in, and no cache keeps that', async (path) => {
  const etag = (await get(path)).headers.get('etag') ?? '';
  const headers = { cookie: user.client.cookies(), 'if-none-match': etag };
  for (const encoding of ['identity', 'gzip']) {
    const page = await get(path, { ...headers, 'accept-encoding': encoding });
    expect([page.status, page.headers.get('etag')]).toEqual([200, null]);
    expect([page.headers.get('cache-control'), page.headers.get('vary')]).toEqual([
      'private, no-cache',
      '*',
    ]);
    const bytes = await page.arrayBuffer();
    const html = encoding === 'gzip' ? gunzipSync(bytes).toString() : Buffer.from(bytes).toString();
    expect(html).toContain('fixed@example.org');
    if (path === '/') expect(html).toContain('Open your dashboard');
  }
});
