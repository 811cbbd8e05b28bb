import { describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createBucket, createToken, listFiles, signUp } from '../../support/client/api.ts';
import { groupServer } from '../../support/server/group-server.ts';
import { bucket, open, secret, server, user, secretVideo as video } from './delivered.ts';

const url = (file: FileWire) => file.url ?? '';
const get = (address: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(address, { headers, method });

const token = (options: Parameters<typeof createToken>[2] = {}) =>
  createToken(server, bucket, options);

describe('a public file', () => {
  test('is cached for ever, and is never a page of our origin', async () => {
    const { headers, status } = await get(url(open));
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain('sandbox');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('set-cookie')).toBeNull();
  });

  test('is not sent again to who has it', async () => {
    const first = await get(url(open));
    await first.arrayBuffer();
    const copies: Record<string, string>[] = [
      { 'if-none-match': first.headers.get('etag') ?? '' },
      { 'if-modified-since': first.headers.get('last-modified') ?? '' },
    ];
    for (const headers of copies) {
      const second = await get(url(open), headers);
      expect([second.status, (await second.arrayBuffer()).byteLength]).toEqual([304, 0]);
      expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
    }
  });

  test('comes in the one range that is asked for', async () => {
    const bytes = Buffer.from(await (await get(url(open))).arrayBuffer());
    const part = await get(url(open), { range: 'bytes=10-19' });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 10-19/${bytes.length}`);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))).toBe(true);
    const tail = await get(url(open), { range: 'bytes=-5' });
    expect(Buffer.from(await tail.arrayBuffer()).equals(bytes.subarray(-5))).toBe(true);
    const outside = await get(url(open), { range: `bytes=${bytes.length}-` });
    expect([outside.status, outside.headers.get('content-range')]).toEqual([
      416,
      `bytes */${bytes.length}`,
    ]);
    expect(outside.headers.get('cache-control')).toBe('no-store');
    const several = await get(url(open), { range: 'bytes=0-1,3-4' });
    expect([several.status, (await several.arrayBuffer()).byteLength]).toEqual([200, bytes.length]);
  });

  test('is nowhere under another name, file or bucket', async () => {
    const base = `${server.url}/cdn/${bucket.id}/${open.id}`;
    const name = url(open).slice(base.length + 1);
    const other = await createBucket(server, user.token, 'Other');
    for (const address of [
      `${base}/other.webp`,
      `${base}/`,
      `${base}`,
      `${base}/original`,
      `${base}/..%2f..%2foriginal`,
      `${base}/%2e%2e/${name}`,
      `${base}/${name}%00`,
      `${base}/a/b/${name}`,
      `${server.url}/cdn/${other.id}/${open.id}/${name}`,
      `${server.url}/cdn/${bucket.id}/${'0'.repeat(26)}/${name}`,
      `${server.url}/cdn/x/y/${name}`,
    ]) {
      const response = await get(address);
      expect([address, response.status]).toEqual([address, 404]);
      expect(response.headers.get('cache-control')).toContain('no-store');
    }
  });
});

describe('a private file', () => {
  test('needs a read token of its bucket, or of itself', async () => {
    const stranger = await signUp(server);
    const theirs = await createBucket(server, stranger.token);
    const with_ = async (jwt: string) =>
      (await get(`${url(secret)}?jwt=${encodeURIComponent(jwt)}`)).status;
    expect((await get(url(secret))).status).toBe(401);
    expect(await with_(await token())).toBe(200);
    expect(await with_((await listFiles(server, bucket)).jwt)).toBe(200);
    expect(await with_(await token({ fileId: secret.id }))).toBe(200);
    expect(await with_(await token({ fileId: open.id }))).toBe(403);
    expect(await with_(await token({ scope: 'write' }))).toBe(403);
    expect(await with_(user.token)).toBe(403);
    expect(await with_(bucket.api_key)).toBe(403);
    expect(await with_(await createToken(server, theirs))).toBe(403);
    expect(await with_('a.b.c')).toBe(403);
  });

  test('is kept by no cache, refusals neither', async () => {
    const jwt = await token();
    expect((await get(`${url(secret)}?jwt=${jwt}`)).headers.get('cache-control')).toBe(
      'private, no-store',
    );
    expect((await get(url(secret))).headers.get('cache-control')).toBe('no-store');
  });

  test('a read token opens no call of the API', async () => {
    const authorization = `Bearer ${await token()}`;
    for (const path of [`/files/${bucket.id}`, `/buckets/${bucket.id}`, '/buckets']) {
      expect((await get(`${server.url}${path}`, { authorization })).status).toBe(401);
    }
  });

  test('has its token on every URI of its playlists, so that ffmpeg plays it from the one URL', async () => {
    expect(video).toMatchObject({ status: 'success', width: 320, height: 180 });
    expect((await get(url(video))).status).toBe(401);
    const jwt = await token();
    const master = await (await get(`${url(video)}?jwt=${jwt}`)).text();
    const variants = master.split('\n').filter((line) => line && !line.startsWith('#'));
    expect(variants).toHaveLength(2);
    for (const variant of variants) {
      const address = new URL(variant, url(video));
      expect(address.searchParams.get('jwt')).toBe(jwt);
      const playlist = await (await get(address.href)).text();
      const uris = [...playlist.matchAll(/^[^#\s].*$|URI="([^"]+)"/gm)].map(
        (match) => match[1] ?? match[0],
      );
      expect(uris.length).toBeGreaterThan(1);
      for (const uri of uris) {
        const segment = new URL(uri, address);
        expect((await get(segment.href)).status).toBe(200);
        segment.search = '';
        expect((await get(segment.href)).status).toBe(401);
      }
    }
    const folder = await mkdtemp(join(tmpdir(), 'wharf-play-'));
    const player = Bun.spawn(
      ['ffmpeg', '-v', 'error', '-i', `${url(video)}?jwt=${jwt}`, '-f', 'null', '-'],
      { cwd: folder, stderr: 'pipe' },
    );
    const complaints = await new Response(player.stderr).text();
    expect([await player.exited, complaints]).toEqual([0, '']);
    await rm(folder, { recursive: true });
  });
});

test('a player on another site may ask first', async () => {
  const response = await fetch(url(open), {
    method: 'OPTIONS',
    headers: { origin: 'https://elsewhere.example', 'access-control-request-headers': 'range' },
  });
  expect(response.status).toBe(204);
  expect(response.headers.get('access-control-allow-headers')).toContain('range');
});

test('a host of its own for delivery gets delivery and nothing else', async () => {
  const cdn = await groupServer({ CDN_URL: 'http://cdn.test' });
  const asCdn = (path: string) => get(`${cdn.url}${path}`, { host: 'cdn.test' });
  expect((await asCdn('/login')).status).toBe(404);
  expect((await asCdn('/health')).status).toBe(404);
  expect((await get(`${cdn.url}/health`)).status).toBe(200);
});
