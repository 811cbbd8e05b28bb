import { expect, test } from 'bun:test';
import { createApp } from '../../../server/app.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

const CDN_URL = 'https://cdn.example.com';
const { server, user, bucket } = await sharedBucketInProcess({ CDN_URL });

/** The pages that a visitor's browser may show again for a minute. */
const SAME_FOR_VISITORS = /^\/($|docs(\/[^.]+)?$)/;
/** Assets are named by their content, and public for everybody. */
const PUBLIC = /^\/assets\//;
/** What is the same for everybody, and asked for again each time. */
const FIXED = /^\/docs\/\w+\.json$/;
/** The WebSocket's handshake is no response that a browser would keep. */
const SOCKET = '/ws';

const requests = createApp(server.services)
  .routes.filter(({ path }) => path !== SOCKET)
  .map(({ method, path }) => ({
    method,
    path: path.replace(/:(\w+)\??/g, (_, name) => (name === 'bucketID' ? bucket.id : name)),
  }));

async function expectPrivate(method: string, path: string, headers: Record<string, string>) {
  const response = await fetch(server.url + path, { method, headers, redirect: 'manual' });
  await response.body?.cancel();
  const name = `${method} ${path}: ${response.status}`;
  expect([name, response.headers.get('x-content-type-options')]).toEqual([name, 'nosniff']);
  if (PUBLIC.test(path) && response.ok) return;
  const isPage = response.headers.get('content-type')?.startsWith('text/html');
  if (isPage && response.status === 200 && !path.startsWith('/embed/')) {
    const isCached = headers.cookie === undefined && SAME_FOR_VISITORS.test(path);
    expect([name, response.headers.get('cache-control'), response.headers.get('vary')]).toEqual(
      isCached
        ? [name, 'private, max-age=60', 'Accept, Accept-Encoding']
        : [name, 'private, no-cache', '*'],
    );
    return;
  }
  expect([name, response.headers.get('cache-control')]).toEqual([
    name,
    expect.stringContaining(FIXED.test(path) && response.ok ? 'no-cache' : 'no-store'),
  ]);
}

test('no cache keeps a response, a page is asked for again, and no browser guesses a type, whoever asks', async () => {
  expect(requests.length).toBeGreaterThan(100);
  for (const { method, path } of requests) {
    await expectPrivate(method, path, { accept: 'application/json' });
    await expectPrivate(method, path, { accept: 'text/html' });
    if (method !== 'GET') continue;
    await expectPrivate(method, path, user.authorization);
    await expectPrivate(method, path, { accept: 'text/html', cookie: user.client.cookies() });
  }
});

test('browsers that came to a delivery host by https use nothing else, whatever it answers', async () => {
  for (const path of ['/cdn/a/b/c.webp', '/cdn/', '/login']) {
    for (const method of ['GET', 'POST']) {
      const headers = { host: new URL(CDN_URL).host };
      const response = await fetch(server.url + path, { method, headers });
      expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000');
    }
  }
});
