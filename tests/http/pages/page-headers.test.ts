import { beforeAll, expect, test } from 'bun:test';
import { createApp } from '../../../server/app.ts';
import { PDF_FRAME } from '../../../server/contract/files/pdf-preview.ts';
import { createBucket, signUp, uploadFile } from '../../support/client/api.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import {
  sharedServerInProcess,
  startServerInProcess,
} from '../../support/server/in-process-server.ts';

const ADMIN = 'admin@example.com';
const server = await sharedServerInProcess({ ADMIN_EMAIL: ADMIN });
const user = await signUp(server, ADMIN);
let pages: string[];

beforeAll(async () => {
  const bucket = await createBucket(server, user.token);
  const access = { access: 'public' };
  const { id } = await uploadFile(server, bucket, 'image', access, await photo(), 'a.jpg');
  const values: Record<string, string> = {
    bucketID: bucket.id,
    bucketId: bucket.id,
    id: bucket.id,
    fileID: id,
    fileId: id,
    file: id,
    slug: 'quick-start',
    page: 'quick-start',
  };
  const paths = createApp(server.services)
    .routes.filter((route) => route.method === 'GET')
    .map(({ path }) => path.replace(/:(\w+)\??/g, (_, name: string) => values[name] ?? name));
  pages = [...new Set([...paths, '/no/such/page', `/dashboard/bucket/${'0'.repeat(26)}`])];
});

const look = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${server.url}${path}`, {
    redirect: 'manual',
    headers: { accept: 'text/html', cookie: user.client.cookies(), ...headers },
  });
  return { response, html: await response.text() };
};
const isPage = ({ headers }: Response) => headers.get('content-type')?.startsWith('text/html');
const directive = (policy: string, name: string) =>
  policy.split('; ').find((part) => part.startsWith(`${name} `));

test('every page runs only what carries its own nonce, and only /embed may stand in frames of others', async () => {
  const checkedPaths: string[] = [];
  const nonces = new Set<string>();
  for (const path of pages) {
    if (path.startsWith('/ws')) continue;
    const { response, html } = await look(path);
    if (!isPage(response)) continue;
    expect([path, response.status < 500]).toEqual([path, true]);
    checkedPaths.push(path);
    const policy = response.headers.get('content-security-policy') ?? '';
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    expect([path, nonce.length, nonces.has(nonce)]).toEqual([path, 24, false]);
    nonces.add(nonce);
    // Only the page that draws PDFs, which has no origin, compiles WebAssembly.
    const isPdf = path === PDF_FRAME;
    const own = isPdf ? policy.replace("'wasm-unsafe-eval'", '') : policy;
    expect([path, own]).not.toEqual([path, expect.stringContaining('unsafe-')]);
    expect([path, directive(policy, 'default-src')]).toEqual([path, "default-src 'none'"]);
    for (const [tag] of html.matchAll(/<script\b[^>]*>/g)) {
      const isData = /type="(application|speculationrules)[^"]*json"/.test(tag);
      expect([path, tag, isData || tag.includes(`nonce="${nonce}"`)]).toEqual([path, tag, true]);
    }
    expect([path, /<[^>]+\son[a-z]+=/.exec(html)?.[0]]).toEqual([path, undefined]);
    expect([path, /<[^>]+\sstyle="/.exec(html)?.[0]]).toEqual([path, undefined]);
    const isEmbed = path.startsWith('/embed/');
    expect([path, directive(policy, 'frame-ancestors')]).toEqual([
      path,
      `frame-ancestors ${isPdf ? "'self'" : isEmbed ? '*' : "'none'"}`,
    ]);
    expect([path, response.headers.get('x-frame-options')]).toEqual([
      path,
      isEmbed ? null : 'DENY',
    ]);
    for (const name of ['permissions-policy', 'cross-origin-opener-policy', 'referrer-policy']) {
      expect([path, response.headers.has(name)]).toEqual([path, true]);
    }
    expect([path, response.headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
    expect([path, response.headers.get('strict-transport-security')]).toEqual([path, null]);
  }
  for (const start of ['/', '/login', '/signup', '/dashboard', '/profile', '/docs', '/no/such']) {
    expect([start, checkedPaths.some((path) => path.startsWith(start))]).toEqual([start, true]);
  }
  for (const part of ['bucket', 'files', 'api-key', 'settings']) {
    expect(checkedPaths.some((path) => path.startsWith(`/dashboard/${part}/`))).toBe(true);
  }
  expect(checkedPaths.some((path) => path.startsWith('/embed/'))).toBe(true);
  expect(checkedPaths.length).toBeGreaterThan(15);
});

test('a server at https says so for a year, on pages and on answers alike, and errors too', async () => {
  const secure = await startServerInProcess({ APP_URL: 'https://files.example.com' });
  try {
    for (const path of ['/', '/login', '/health', '/buckets', '/no/such/page']) {
      const { headers } = await fetch(`${secure.url}${path}`, { headers: { accept: 'text/html' } });
      expect([path, headers.get('strict-transport-security')]).toEqual([path, 'max-age=31536000']);
    }
  } finally {
    await secure.stop();
  }
});
