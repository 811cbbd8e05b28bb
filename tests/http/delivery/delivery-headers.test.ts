import { beforeAll, describe, expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import { openObjects } from '../../../server/adapters/objects.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createToken, uploadFile } from '../../support/client/api.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { bucket, open, secret, secretVideo, server, video } from './delivered.ts';

let other: FileWire;

beforeAll(async () => {
  const small = await photo({ width: 320, height: 200 });
  const fields = { access: 'public', webp: 'yes' };
  other = await uploadFile(server, bucket, 'image', fields, small, 'other.jpg');
});

const url = (file: FileWire) => file.url ?? '';
/** Bun's client would request every compression and decompress the response. */
const send = (address: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(address, {
    method,
    headers: { 'accept-encoding': 'identity', ...headers },
    decompress: false,
  });
/** Returns all headers except those that differ between responses. */
const lasting = (response: Response) =>
  [...response.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name));

describe('the tag of a file', () => {
  test('is strong, and of no other file', async () => {
    const [a, b, c] = await Promise.all([open, open, other].map((file) => send(url(file))));
    const tag = a?.headers.get('etag');
    expect(tag).toMatch(/^"[^"]+"$/);
    expect(b?.headers.get('etag')).toBe(tag ?? '');
    expect(c?.headers.get('etag')).not.toBe(tag ?? '');
  });

  test('is the same to 40 who ask at once for what nobody has opened', async () => {
    const address = `${url(video).replace('master.m3u8', '')}320x180/init.mp4`;
    const responses = await Promise.all(Array.from({ length: 40 }, () => send(address)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(responses.map(({ headers }) => headers.get('etag'))).size).toBe(1);
  });

  test('refuses who asks for another version', async () => {
    const tag = (await send(url(open))).headers.get('etag') ?? '';
    expect((await send(url(open), { 'if-match': tag })).status).toBe(200);
    const refused = await send(url(open), { 'if-match': '"x"', range: 'bytes=0-1' });
    expect([refused.status, refused.headers.get('cache-control')]).toEqual([412, 'no-store']);
  });
});

describe('the name of a file', () => {
  test('is the user’s, with the ending of what is delivered', async () => {
    const { headers } = await send(url(open));
    expect(headers.get('content-disposition')).toBe(
      `inline; filename="Gr__e an Anna.webp"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20an%20Anna.webp`,
    );
    const poster = await send(video.poster ?? '');
    expect(poster.headers.get('content-disposition')).toEndWith(
      "''Crane%20%26%20%E9%AB%98-poster.webp",
    );
  });

  test('comes as an attachment where a download is asked for, in part and with a token too', async () => {
    const jwt = await createToken(server, bucket);
    const requests: [string, Record<string, string>, number][] = [
      [`${url(open)}?download`, {}, 200],
      [`${url(open)}?download=1`, { range: 'bytes=0-9' }, 206],
      [`${url(secret)}?jwt=${jwt}&download`, {}, 200],
      [`${url(secretVideo)}?download&jwt=${jwt}`, {}, 200],
    ];
    for (const [address, headers, status] of requests) {
      const response = await send(address, headers);
      expect(response.status).toBe(status);
      expect(response.headers.get('content-disposition')).toStartWith('attachment; filename="');
    }
    expect((await send(url(open))).headers.get('content-disposition')).toStartWith('inline; ');
  });
});

describe('a playlist', () => {
  test.each(['playlist', 'cues'])('(%s) is packed for who takes gzip', async (kind) => {
    const address = (kind === 'cues' ? video.previews : video.url) ?? '';
    const uncompressed = await send(address);
    const packed = await send(address, { 'accept-encoding': 'br, gzip' });
    expect(uncompressed.headers.get('content-encoding')).toBeNull();
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(packed.headers.get('content-type')).toBe(uncompressed.headers.get('content-type') ?? '');
    expect([uncompressed, packed].map(({ headers }) => headers.get('vary'))).toEqual([
      'Accept-Encoding',
      'Accept-Encoding',
    ]);
    const [tag, packedTag] = [uncompressed, packed].map(({ headers }) => headers.get('etag') ?? '');
    expect(packedTag).toMatch(/^"[^"]+"$/);
    expect(packedTag).not.toBe(tag ?? '');
    const bytes = Buffer.from(await packed.arrayBuffer());
    expect(packed.headers.get('content-length')).toBe(String(bytes.length));
    expect(gunzipSync(bytes).toString()).toBe(await uncompressed.text());
    for (const [accepted, expectedEncoding, status] of [
      ['gzip', packedTag, 304],
      ['gzip', tag, 200],
      ['identity', packedTag, 200],
      ['identity', tag, 304],
    ] as const) {
      const headers = { 'accept-encoding': accepted, 'if-none-match': expectedEncoding ?? '' };
      const second = await send(address, headers);
      expect([accepted, second.status]).toEqual([accepted, status]);
      expect(second.headers.get('vary')).toBe('Accept-Encoding');
    }
    const range = { range: 'bytes=0-9', 'accept-encoding': 'gzip' };
    const part = await send(address, { ...range, 'if-range': packedTag ?? '' });
    expect([part.status, await part.bytes()]).toEqual([206, new Uint8Array(bytes.subarray(0, 10))]);
    expect((await send(address, { ...range, 'if-range': tag ?? '' })).status).toBe(200);
  });

  test('that is private is packed too, has a tag for each token, and is kept by nobody', async () => {
    const [one, two] = [await createToken(server, bucket), await createToken(server, bucket)];
    const tags = new Set<string | null>();
    for (const address of [url(secretVideo), secretVideo.previews ?? '']) {
      for (const jwt of [one, two]) {
        for (const accepted of ['identity', 'gzip']) {
          const response = await send(`${address}?jwt=${jwt}`, { 'accept-encoding': accepted });
          const bytes = Buffer.from(await response.arrayBuffer());
          const text = (accepted === 'gzip' ? gunzipSync(bytes) : bytes).toString();
          expect(text).toContain(`?jwt=${jwt}`);
          expect(text).not.toContain(jwt === one ? two : one);
          expect(response.headers.get('cache-control')).toBe('private, no-store');
          expect(response.headers.get('vary')).toBe('Accept-Encoding');
          expect(response.headers.get('last-modified')).toBeNull();
          tags.add(response.headers.get('etag'));
        }
      }
    }
    expect(tags.size).toBe(8);
  });

  test('is the only thing that is packed', async () => {
    const response = await send(url(open), { 'accept-encoding': 'gzip' });
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(response.headers.get('vary')).toBeNull();
  });
});

test('a file whose bytes are gone is not found, and nobody remembers that', async () => {
  const large = await photo({ width: 800, height: 600, blur: 0.3 });
  const file = await uploadFile(server, bucket, 'image', { access: 'public' }, large, 'lost.jpg');
  const [first, size] = [await send(url(file)), large.length];
  expect([first.status, size > 128 * 1024]).toEqual([200, true]);
  await first.arrayBuffer();
  await (await openObjects(server.config.storage)).deletePrefix(`f/${bucket.id}/${file.id}/`);
  const response = await send(url(file));
  expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-store']);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await response.text()).toBe('File not found.');
});

describe('every answer', () => {
  const SAFE = {
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
    'timing-allow-origin': '*',
  };

  test('is safe, may be read by other sites, and is kept only where it is a public file', async () => {
    const jwt = await createToken(server, bucket);
    const past = 'Mon, 05 May 2025 10:00:00 GMT';
    const base = `${server.url}/cdn/${bucket.id}/${open.id}`;
    const requests: [string, string, Record<string, string>, number][] = [
      ['GET', url(open), {}, 200],
      ['HEAD', url(open), {}, 200],
      ['GET', url(open), { range: 'bytes=1-2' }, 206],
      ['GET', url(open), { 'if-none-match': '*' }, 304],
      ['GET', url(video), { 'accept-encoding': 'gzip' }, 200],
      ['GET', `${url(secret)}?jwt=${jwt}`, {}, 200],
      ['GET', `${url(secretVideo)}?jwt=${jwt}`, {}, 200],
      ['GET', `${url(secretVideo)}?jwt=${jwt}`, { range: 'bytes=0-5' }, 206],
      ['GET', url(open), { range: 'bytes=999999999-' }, 416],
      ['GET', url(open), { 'if-unmodified-since': past }, 412],
      ['GET', `${base}/other.webp`, {}, 404],
      ['HEAD', `${base}/other.webp`, {}, 404],
      ['GET', `${server.url}/cdn/x`, {}, 404],
      ['GET', url(secret), {}, 401],
      ['GET', `${url(secret)}?jwt=x`, {}, 403],
      ['POST', url(open), {}, 405],
      ['DELETE', url(open), {}, 405],
    ];
    for (const [method, address, headers, status] of requests) {
      const response = await send(address, headers, method);
      expect([address, response.status]).toEqual([address, status]);
      for (const [name, value] of Object.entries(SAFE)) {
        expect([address, name, response.headers.get(name)]).toEqual([address, name, value]);
      }
      expect(response.headers.get('content-security-policy')).toContain('sandbox');
      expect(response.headers.get('access-control-expose-headers')).toContain('content-range');
      expect(response.headers.get('set-cookie')).toBeNull();
      const cacheControl = response.headers.get('cache-control');
      if (status >= 400) expect(cacheControl).toBe('no-store');
      else if (address.includes('jwt=')) expect(cacheControl).toBe('private, no-store');
      else expect(cacheControl).toBe('public, max-age=31536000, immutable');
    }
  });

  test('of a file carries its bucket and itself as tags to purge it by', async () => {
    const segment = `${url(video).replace('master.m3u8', '')}320x180/init.mp4`;
    for (const [address, file] of [
      [url(open), open],
      [url(video), video],
      [segment, video],
      [video.poster ?? '', video],
    ] as const) {
      for (const headers of [{}, { range: 'bytes=0-1' }, { 'if-none-match': '*' }]) {
        const response = await send(address, headers as Record<string, string>);
        const tags = `${bucket.id},${file.id}`;
        expect(response.headers.get('cache-tag')).toBe(tags);
        expect(response.headers.get('cdn-tag')).toBe(tags);
      }
    }
  });

  test('to HEAD has the headers of GET without a range, and no body', async () => {
    const jwt = await createToken(server, bucket);
    const segment = `${url(video).replace('master.m3u8', '')}320x180/seg_00000.m4s`;
    const addresses = [url(open), url(video), segment, `${url(secretVideo)}?jwt=${jwt}`];
    const conditions: Record<string, string>[] = [
      {},
      { range: 'bytes=2-4' },
      { range: 'bytes=-3' },
      { range: 'bytes=999999999-' },
      { 'if-none-match': '*' },
      { 'if-match': '"x"' },
      { 'accept-encoding': 'gzip' },
    ];
    for (const address of [...addresses, `${url(open)}?download`, url(secret), `${url(open)}x`]) {
      for (const headers of conditions) {
        // RFC 9110, 14.2: ranges are defined for GET only.
        const { range: _, ...whole } = headers;
        const [head, get] = [await send(address, headers, 'HEAD'), await send(address, whole)];
        expect([address, headers, head.status]).toEqual([address, headers, get.status]);
        expect(lasting(head)).toEqual(lasting(get));
        expect((await head.arrayBuffer()).byteLength).toBe(0);
        await get.arrayBuffer();
      }
    }
  });
});
