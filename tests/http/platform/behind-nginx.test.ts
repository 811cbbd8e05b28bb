import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import { makeImage } from '../../../bench/fixtures.ts';
import { MIB } from '../../../server/contract/limits.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import {
  createBucket,
  createToken,
  form,
  signUp,
  type TestUser,
  uploadFile,
} from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { clip, photo } from '../../support/fixtures/make-media.ts';
import { freePort } from '../../support/server/free-port.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';
import { nginxPath, startProxy } from '../../support/services/nginx.ts';

/** How long nginx keeps a file, as in the guide, so that no test waits longer. */
const SECONDS = 3600;

const get = (address: string, headers: Record<string, string> = {}) =>
  fetch(address, { headers: { 'accept-encoding': 'identity', ...headers }, decompress: false });
const below = ({ url }: FileWire, name: string) => `${url?.replace(/[^/]+$/, '')}${name}`;
const cacheOf = (response: Response) => response.headers.get('x-cache');

describe.skipIf(!nginxPath)('behind nginx, with the settings of the guide,', () => {
  let server: TestServer;
  let user: TestUser;
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  let bucket: { id: string; api_key: string };
  let large: Buffer;
  let open: FileWire;
  let video: FileWire;
  let secret: FileWire;
  let secretVideo: FileWire;

  const image = async (access: string, bytes: Buffer, name = 'a.jpg') =>
    uploadFile(server, bucket, 'image', { access }, bytes, name);
  const remove = (file: FileWire) =>
    fetch(`${server.url}/files/${bucket.id}/${file.id}`, {
      method: 'DELETE',
      headers: { 'x-api-key': bucket.api_key },
    });

  beforeAll(async () => {
    const port = await freePort();
    server = await startServer({ CDN_URL: `http://127.0.0.1:${port}/cdn` });
    proxy = await startProxy({ port, origin: new URL(server.url), seconds: SECONDS });
    user = await signUp(server);
    bucket = await createBucket(server, user.token);
    large = Buffer.from(await makeImage(3 * MIB));
    const film = (access: string, bytes: Buffer) =>
      uploadFile(server, bucket, 'video', { access, resolution: '320x180' }, bytes, 'a.mp4');
    const bytes = await clip({ seconds: 7 });
    open = await image('public', large);
    secret = await image('private', large);
    video = await film('public', bytes);
    secretVideo = await film('private', bytes);
  });
  afterAll(async () => {
    await proxy?.stop();
    await server?.stop();
  });

  test('a path is kept as long as its bucket says, and shows the new file after a replacement', async () => {
    const site = await createBucket(server, user.token);
    const put = async (text: string) => {
      const body = form({ path: 'a/b.txt', on_conflict: 'replace' }, new Blob([text]), 'b.txt');
      const url = `${server.url}/files/upload/file/${site.id}`;
      const headers = { 'x-api-key': site.api_key };
      const response = await fetch(url, { method: 'POST', headers, body });
      expect(response.status).toBe(201);
    };
    const setAge = async (path_max_age: number) => {
      const response = await fetch(`${server.url}/buckets/delivery-rules/${site.id}`, {
        method: 'PUT',
        headers: { ...user.authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ path_max_age }),
      });
      expect(response.status).toBe(200);
    };
    const read = async (query = '') => {
      const response = await get(`${proxy.url}/cdn/${site.id}/~/a/b.txt${query}`);
      return [await response.text(), cacheOf(response)];
    };
    await setAge(0);
    await put('old');
    expect(await read()).toEqual(['old', 'MISS']);
    await put('new');
    expect((await read())[0]).toBe('new');
    await setAge(3600);
    expect(await read('?kept')).toEqual(['new', 'MISS']);
    expect(await read('?kept')).toEqual(['new', 'HIT']);
    const { href } = new URL(`${proxy.url}/cdn/${site.id}/~/a/b.txt?kept`);
    const part = await get(href, { range: 'bytes=1-1' });
    expect([part.status, await part.text(), cacheOf(part)]).toEqual([206, 'e', 'HIT']);
  });

  test('a public file is delivered from the cache, with all its headers', async () => {
    // A larger file comes from the server without its length.
    const { url } = await image('public', await photo());
    expect(url).toStartWith(`${proxy.url}/cdn/`);
    const first = await get(url ?? '');
    const bytes = await first.bytes();
    const second = await get(url ?? '');
    expect([first.status, second.status]).toEqual([200, 200]);
    expect([cacheOf(first), cacheOf(second)]).toEqual(['MISS', 'HIT']);
    expect(Buffer.compare(bytes, await second.bytes())).toBe(0);
    const direct = await get((url ?? '').replace(proxy.url, server.url));
    expect(Buffer.compare(bytes, await direct.bytes())).toBe(0);
    for (const name of [
      'etag',
      'cache-control',
      'content-type',
      'content-length',
      'cache-tag',
      'content-disposition',
      'content-security-policy',
      'access-control-allow-origin',
    ]) {
      expect([name, second.headers.get(name)]).toEqual([name, direct.headers.get(name)]);
    }
    const notModified = await get(url ?? '', {
      'if-none-match': direct.headers.get('etag') ?? '',
    });
    expect(notModified.status).toBe(304);
  });

  test('a range of a large file is right, and costs its own slice only', async () => {
    const fresh = await image('public', large);
    const bytes = Buffer.from(
      await (await get((fresh.url ?? '').replace(proxy.url, server.url))).arrayBuffer(),
    );
    expect(bytes.length).toBeGreaterThan(2 * MIB);
    const range = async (text: string, start: number, end: number, cache: string) => {
      const part = await get(fresh.url ?? '', { range: `bytes=${text}` });
      expect([text, part.status, cacheOf(part)]).toEqual([text, 206, cache]);
      expect(part.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${bytes.length}`);
      const got = Buffer.from(await part.arrayBuffer());
      expect([text, got.equals(bytes.subarray(start, end))]).toEqual([text, true]);
    };
    await range('10-19', 10, 20, 'MISS');
    await range('500-600', 500, 601, 'HIT');
    expect(await proxy.cacheFilesWith(fresh.id)).toHaveLength(1);
    await range(`${MIB + 5}-${MIB + 8}`, MIB + 5, MIB + 9, 'MISS');
    expect(await proxy.cacheFilesWith(fresh.id)).toHaveLength(2);
    await range(`${MIB - 5}-${2 * MIB + 5}`, MIB - 5, 2 * MIB + 6, 'HIT');
    expect(await proxy.cacheFilesWith(fresh.id)).toHaveLength(3);
    const outside = await get(fresh.url ?? '', { range: `bytes=${bytes.length}-` });
    expect(outside.status).toBe(416);
  });

  test('a playlist comes packed to who takes gzip, and plain to who does not', async () => {
    const address = video.url ?? '';
    const read = async (accepted: string) => {
      const response = await get(address, { 'accept-encoding': accepted });
      const bytes = Buffer.from(await response.arrayBuffer());
      const isPacked = response.headers.get('content-encoding') === 'gzip';
      return {
        isPacked,
        cache: cacheOf(response),
        text: (isPacked ? gunzipSync(bytes) : bytes).toString(),
      };
    };
    const statuses = [];
    for (const accepted of ['gzip', 'identity', 'gzip', 'identity'])
      statuses.push(await read(accepted));
    expect(statuses.map(({ isPacked }) => isPacked)).toEqual([true, false, true, false]);
    expect(statuses.slice(2).map(({ cache }) => cache)).toEqual(['HIT', 'HIT']);
    expect(new Set(statuses.map(({ text }) => text)).size).toBe(1);
  });

  test.each(['no', 'yes'])(
    'with CDN_VARIES_ACCEPT=%s nobody gets what another’s Accept took',
    async (varies) => {
      const port = await freePort();
      const env = { CDN_URL: `http://127.0.0.1:${port}/cdn`, CDN_VARIES_ACCEPT: varies };
      const own = await startServer(env);
      const front = await startProxy({ port, origin: new URL(own.url), seconds: 60 });
      try {
        const ownBucket = await createBucket(own, (await signUp(own)).token);
        const bytes = await photo({ width: 64, height: 48 });
        const { url } = await uploadFile(
          own,
          ownBucket,
          'image',
          { access: 'public' },
          bytes,
          'a.jpg',
        );
        const types = { 'image/avif,image/webp': 'avif', 'image/webp': 'webp', '*/*': 'jpeg' };
        for (const cache of ['MISS', varies === 'yes' ? 'HIT' : 'MISS']) {
          for (const [accept, type] of Object.entries(types)) {
            const response = await get(`${url}?width=32&format=auto`, { accept });
            const got = [response.headers.get('content-type'), cacheOf(response)];
            expect([accept, ...got]).toEqual([accept, `image/${type}`, cache]);
            await response.arrayBuffer();
          }
        }
      } finally {
        await front.stop();
        await own.stop();
      }
    },
  );

  test('a deleted file is gone once its cache time is over', async () => {
    const file = await image('public', await photo({ width: 64, height: 64 }));
    const port = await freePort();
    const brief = await startProxy({ port, origin: new URL(server.url), seconds: 1 });
    const statusAt = async (url: string) =>
      (await get((file.url ?? '').replace(proxy.url, url))).status;
    try {
      expect([await statusAt(proxy.url), await statusAt(brief.url)]).toEqual([200, 200]);
      expect((await remove(file)).status).toBe(204);
      await until(async () => (await statusAt(brief.url)) === 404);
      // A cache that keeps the file for longer still answers with it.
      expect(await statusAt(proxy.url)).toBe(200);
    } finally {
      await brief.stop();
    }
  });

  test('a deleted file is gone at once where it is purged, and its neighbours stay', async () => {
    const file = await image('public', large);
    await (await get(file.url ?? '')).arrayBuffer();
    await (await get(open.url ?? '')).arrayBuffer();
    expect((await proxy.cacheFilesWith(file.id)).length).toBeGreaterThan(1);
    await remove(file);
    await proxy.purge(bucket.id, file.id);
    expect((await get(file.url ?? '')).status).toBe(404);
    expect(await proxy.cacheFilesWith(file.id)).toEqual([]);
    expect((await proxy.cacheFilesWith(open.id)).length).toBeGreaterThan(1);
  });

  test('private bytes are never kept, so nobody without a token gets them', async () => {
    const jwt = await createToken(server, bucket);
    const addresses = [
      secret.url ?? '',
      secretVideo.url ?? '',
      below(secretVideo, '320x180/seg_00000.m4s'),
      secretVideo.poster ?? '',
    ];
    for (const address of addresses) {
      expect((await get(address)).status).toBe(401);
      for (const headers of [{}, {}, { range: 'bytes=0-9' }] as Record<string, string>[]) {
        const response = await get(`${address}?jwt=${jwt}`, headers);
        expect([200, 206]).toContain(response.status);
        expect(['HIT', 'STALE', 'REVALIDATED', 'UPDATING']).not.toContain(cacheOf(response) ?? '');
        await response.arrayBuffer();
      }
      for (const query of ['', '?jwt=', '?jwt=a.b.c', `?jwt=${jwt}x`, '?x=1']) {
        expect([401, 403]).toContain((await get(`${address}${query}`)).status);
      }
    }
    expect(await proxy.cacheFilesWith(secret.id)).toEqual([]);
    expect(await proxy.cacheFilesWith(secretVideo.id)).toEqual([]);
    expect(await proxy.cacheFilesWith(open.id)).not.toEqual([]);
  });

  test('a private playlist is another for each token, its segments are the same bytes for all', async () => {
    const tokens = [await createToken(server, bucket), await createToken(server, bucket)];
    const texts: string[] = [];
    const segments: Uint8Array[] = [];
    for (const jwt of tokens) {
      for (let attempt = 0; attempt < 2; attempt += 1) {
        texts.push(await (await get(`${secretVideo.url}?jwt=${jwt}`)).text());
        expect(texts.at(-1)).toContain(`jwt=${jwt}`);
      }
      const segment = `${below(secretVideo, '320x180/seg_00000.m4s')}?jwt=${jwt}`;
      segments.push(await (await get(segment)).bytes());
    }
    expect(texts[0]).toBe(texts[1] ?? '');
    expect(texts[0]).not.toBe(texts[2] ?? '');
    expect(Buffer.compare(segments[0] ?? new Uint8Array(), segments[1] ?? new Uint8Array())).toBe(
      0,
    );
    const player = Bun.spawn(
      ['ffmpeg', '-v', 'error', '-i', `${secretVideo.url}?jwt=${tokens[0]}`, '-f', 'null', '-'],
      { stderr: 'pipe' },
    );
    const complaints = await new Response(player.stderr).text();
    expect([await player.exited, complaints]).toEqual([0, '']);
  });

  test('rolling the key ends private delivery at once, through the cache too', async () => {
    const jwt = await createToken(server, bucket);
    const address = `${secret.url}?jwt=${jwt}`;
    expect((await get(address)).status).toBe(200);
    const rolled = await fetch(`${server.url}/buckets/roll/api-key/${bucket.id}`, {
      method: 'PUT',
      headers: user.authorization,
    });
    expect(rolled.status).toBe(200);
    expect((await get(address)).status).toBe(403);
  });

  test('the token is not in nginx’s log', async () => {
    const log = await proxy.log();
    expect(log).toContain(secret.id);
    expect(log).not.toContain('jwt=');
  });

  test('the host of delivery leads to nothing else', async () => {
    expect((await get(`${proxy.url}/health`)).status).toBe(404);
    expect((await get(`${proxy.url}/cdn/../health`)).status).toBe(404);
  });
});
