import { afterAll, expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { assetRoutes } from './asset-routes.ts';

const folder = await mkdtemp(join(tmpdir(), 'assets-'));
afterAll(() => rm(folder, { recursive: true }));
await writeFile(join(folder, 'app-1.css'), 'body{}');
await writeFile(join(folder, 'app-1.css.br'), brotliCompressSync('body{}'));
await writeFile(join(folder, 'manifest.json'), '{}');
await mkdir(join(folder, 'clip-1/audio'), { recursive: true });
await writeFile(join(folder, 'clip-1/audio/a.m4s'), '0123456789');
const app = assetRoutes(folder);
const get = (path: string, encoding = '') =>
  app.handle(new Request(`http://localhost${path}`, { headers: { 'accept-encoding': encoding } }));

test('a built file may be kept for ever', async () => {
  const response = await get('/assets/app-1.css');
  expect(response.headers.get('cache-control')).toContain('immutable');
  expect(response.headers.get('content-type')).toContain('text/css');
  expect(await response.text()).toBe('body{}');
});

test('a browser that takes brotli gets it, others do not', async () => {
  const packed = await get('/assets/app-1.css', 'gzip, deflate, br');
  expect(packed.headers.get('content-encoding')).toBe('br');
  expect(brotliDecompressSync(await packed.bytes()).toString()).toBe('body{}');
  for (const header of ['', 'gzip', 'br;q=0', 'bromide']) {
    expect((await get('/assets/app-1.css', header)).headers.has('content-encoding')).toBe(false);
  }
});

test('a file in a folder of its own is served in whole and in part, the folder is not', async () => {
  const path = '/assets/clip-1/audio/a.m4s';
  expect(await (await get(path)).text()).toBe('0123456789');
  const request = new Request(`http://localhost${path}`, { headers: { range: 'bytes=2-4' } });
  const part = await app.handle(request);
  expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 2-4/10']);
  expect(await part.text()).toBe('234');
  for (const folder of ['clip-1', 'clip-1/', 'clip-1/audio', '']) {
    expect((await get(`/assets/${folder}`)).status).toBe(404);
  }
});

test.each(['/assets/none.css', '/assets/manifest.json', '/assets/..%2f..%2fetc%2fpasswd'])(
  '%s is not served',
  async (path) => {
    expect((await get(path)).status).toBe(404);
  },
);
