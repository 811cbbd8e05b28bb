import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Upload } from 'tus-js-client';
import { openObjects } from '../../server/adapters/objects.ts';
import { MIB, VIDEO_CHUNK_BYTES } from '../../server/contract/limits.ts';
import type { FileWire } from '../../server/contract/wire.ts';
import {
  createBucket,
  createToken,
  form,
  signUp,
  uploadFile,
  waitForFile,
} from '../support/client/api.ts';
import { until } from '../support/client/wait.ts';
import { clip, clipOfSize, photo } from '../support/fixtures/make-media.ts';
import { fsck } from '../support/server/command.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { storedObjects } from '../support/server/stored-objects.ts';
import { startCuttingProxy } from '../support/services/cutting-proxy.ts';
import { type OwnRgw, startOwnRgw } from '../support/services/rgw.ts';

const rgw = await startOwnRgw();

describe.skipIf(!rgw)('with its objects on S3', () => {
  const gateway = rgw as OwnRgw;
  let server: TestServer;
  let bucket: { id: string; api_key: string };
  let env: Record<string, string>;
  let proxy: Awaited<ReturnType<typeof startCuttingProxy>>;

  beforeAll(async () => {
    const { port } = new URL(gateway.url);
    // A slow machine takes longer to start a gateway again than a request waits for it.
    proxy = await startCuttingProxy(() => Number(port));
    const { url } = await gateway.bucket();
    env = { STORAGE_URL: url.replace(`127.0.0.1:${port}`, `127.0.0.1:${proxy.port}`) };
    server = await startServer(env);
    bucket = await createBucket(server, (await signUp(server)).token);
  });
  afterAll(async () => {
    await server.stop();
    await proxy.stop();
  });

  const key = () => ({ 'x-api-key': bucket.api_key });
  const chunk = (bytes: Uint8Array, number: number, total: number, id: string) =>
    fetch(`${server.url}/files/upload/video/${bucket.id}`, {
      method: 'POST',
      headers: key(),
      body: form(
        { client_id: id, chunk_number: String(number), total_chunks: String(total) },
        new Blob([bytes as never]),
        'a.mp4',
      ),
    });
  const sendByTus = (bytes: Buffer, onProgress: (sentBytes: number) => void = () => {}) =>
    new Promise<string>((resolve, reject) => {
      let id = '';
      const sending = new Upload(bytes as never, {
        endpoint: `${server.url}/files/tus/${bucket.id}`,
        headers: key(),
        chunkSize: 6 * MIB,
        retryDelays: Array.from({ length: 100 }, () => 1000),
        metadata: { filename: 'tus.mp4', filetype: 'video/mp4' },
        onProgress,
        onAfterResponse: (_request, response) => {
          id = response.getHeader('X-File-Id') ?? id;
        },
        onSuccess: () => resolve(id),
        onError: reject,
      });
      sending.start();
    });
  const storedBelow = async (prefix: string) => (await storedObjects(server, prefix)).length;

  /** Fetches every file that a playlist leads to, and returns their number. */
  async function playable(url: string): Promise<number> {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    if (!url.split('?')[0]?.endsWith('.m3u8')) {
      return (await response.arrayBuffer()).byteLength > 0 ? 1 : 0;
    }
    const text = await response.text();
    const named = [
      ...text.split('\n').filter((line) => line && !line.startsWith('#')),
      ...[...text.matchAll(/URI="([^"]+)"/g)].map((match) => match[1] ?? ''),
    ];
    expect(named.length).toBeGreaterThan(0);
    let fetched = 0;
    for (const name of new Set(named)) fetched += await playable(new URL(name, url).href);
    return fetched;
  }

  test('an image becomes WebP, is delivered whole and in ranges, and keeps nothing on this disk', async () => {
    const original = await photo();
    const file = await uploadFile(server, bucket, 'image', { webp: 'yes' }, original, 'a b.jpg');
    expect(file.status).toBe('success');
    const url = file.url ?? '';
    const response = await fetch(url);
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(response.headers.get('content-type')).toBe('image/webp');
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    expect(response.headers.get('etag')).toMatch(/^"[\w-]+"$/);
    const part = await fetch(url, { headers: { range: 'bytes=100-199' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([
      206,
      `bytes 100-199/${bytes.length}`,
    ]);
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(100, 200));
    const head = await fetch(url, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(bytes.length));
    const same = { 'if-none-match': response.headers.get('etag') ?? '' };
    expect((await fetch(url, { headers: same })).status).toBe(304);
    const small = await fetch(`${url}?width=64`);
    expect(small.status).toBe(200);
    expect(existsSync(join(server.dataDir, 'storage'))).toBe(false);
  });

  test('a private video sent in chunks plays with its token alone', async () => {
    const bytes = await clipOfSize(VIDEO_CHUNK_BYTES + MIB);
    expect((await chunk(bytes.subarray(0, VIDEO_CHUNK_BYTES), 0, 2, 'two')).status).toBe(202);
    const last = await chunk(bytes.subarray(VIDEO_CHUNK_BYTES), 1, 2, 'two');
    expect(last.status).toBe(201);
    const { id } = (await last.json()) as FileWire;
    expect(await waitForFile(server, bucket, id)).toMatchObject({ status: 'success' });

    const own = { access: 'private', resolution: '320x180' };
    const film = await uploadFile(
      server,
      bucket,
      'video',
      own,
      await clip({ seconds: 3 }),
      'b.mp4',
    );
    const url = film.url ?? '';
    expect((await fetch(url)).status).toBe(401);
    const token = await createToken(server, bucket, { fileId: film.id });
    expect(await playable(`${url}?jwt=${token}`)).toBeGreaterThan(1);
  });

  test('a server that goes away and comes back in the middle of uploads loses none of them', async () => {
    const bytes = await clipOfSize(20 * MIB);
    let isKilled = false;
    let back = Promise.resolve();
    const restart = async () => {
      proxy.away();
      await Bun.sleep(1000);
      proxy.back();
    };
    const onProgress = (sentBytes: number) => {
      if (isKilled || sentBytes < 7 * MIB) return;
      isKilled = true;
      back = restart();
    };
    const byTus = sendByTus(bytes, onProgress);
    await until(async () => isKilled);
    const fields = { client_id: 'cut', chunk_number: '0', total_chunks: '1' };
    const inChunks = uploadFile(
      server,
      bucket,
      'video',
      fields,
      await clip({ seconds: 1 }),
      'c.mp4',
    );
    expect(await inChunks).toMatchObject({ status: 'success' });
    await back;
    const done = await waitForFile(server, bucket, await byTus);
    expect(done).toMatchObject({ status: 'success', size: bytes.length });
    const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
    expect(done.sha256).toBe(sha256);
  });

  test('while the S3 server is away the answers are 503, to be tried again, and nothing stays', async () => {
    const file = await uploadFile(server, bucket, 'image', {}, await photo(), 'away.jpg');
    const other = await startServer(env);
    await gateway.kill();
    try {
      const response = await fetch(
        `${server.url}/cdn/${bucket.id}/${file.id}/${file.url?.split('/').at(-1)}`,
      );
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
      expect(await response.text()).toBe('The storage is not responding. Try again in a moment.');
      const health = await fetch(`${server.url}/health`);
      expect(health.status).toBe(503);
    } finally {
      await gateway.start();
      await other.stop();
    }
    expect((await fetch(file.url ?? '')).status).toBe(200);
  });

  test('large public images may come from the storage itself, and nothing else does', async () => {
    const [before, ownBucket] = [server, bucket];
    server = await startServer({
      STORAGE_URL: (await gateway.bucket()).url,
      S3_PUBLIC_REDIRECT: 'yes',
    });
    bucket = await createBucket(server, (await signUp(server)).token);
    const get = (url: string | null, init: RequestInit = {}) =>
      fetch(url ?? '', { redirect: 'manual', ...init });
    const large = await photo({ width: 3000, height: 2000 });
    const file = await uploadFile(server, bucket, 'image', {}, large, 'large ä.jpg');
    const response = await get(file.url);
    const location = response.headers.get('location') ?? '';
    expect([response.status, location.startsWith(gateway.url)]).toEqual([302, true]);
    const got = await fetch(`${file.url}?download`);
    expect(got.headers.get('content-type')).toBe('image/jpeg');
    expect(got.headers.get('content-disposition')).toContain('attachment');
    const head = await get(file.url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([
      200,
      String((await got.arrayBuffer()).byteLength),
    ]);
    const tag = { 'if-none-match': head.headers.get('etag') ?? '' };
    expect((await get(file.url, { headers: tag })).status).toBe(304);
    const part = await get(file.url, { headers: { range: 'bytes=0-9' } });
    expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 10]);

    const own = await uploadFile(server, bucket, 'image', { access: 'private' }, large, 'p.jpg');
    const token = await createToken(server, bucket, { fileId: own.id });
    expect((await get(`${own.url}?jwt=${token}`)).status).toBe(200);
    expect((await get(`${file.url}?width=50`)).status).toBe(200);
    await server.stop();
    [server, bucket] = [before, ownBucket];
  });

  test('a file that is deleted takes its objects along, and the audit finds nothing', async () => {
    const file = await uploadFile(server, bucket, 'image', { webp: 'yes' }, await photo(), 'd.jpg');
    expect(await storedBelow(`f/${bucket.id}/${file.id}/`)).toBe(1);
    const removed = await fetch(`${server.url}/files/${bucket.id}/${file.id}`, {
      method: 'DELETE',
      headers: key(),
    });
    expect(removed.status).toBe(204);
    expect((await fetch(file.url ?? '')).status).toBe(404);
    expect(await storedBelow(`f/${bucket.id}/${file.id}/`)).toBe(0);
    expect(await storedBelow(`o/${bucket.id}/${file.id}/`)).toBe(0);
    // Deletions that failed while the storage was away are tried again later.
    await until(async () => (await fsck(server.dataDir, ['--json'], env)).findings.length === 0);
    await (await openObjects(server.config.storage)).put('f/lost/x/y', new Blob(['x']).stream());
    expect((await fsck(server.dataDir, ['--json'], env)).findings).toMatchObject([
      { kind: 'orphan', subject: 'f/lost/x/' },
    ]);
  });
});
