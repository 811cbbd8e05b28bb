import { beforeAll, describe, expect, test } from 'bun:test';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createToken, uploadFile } from '../../support/client/api.ts';
import { warm } from '../../support/client/wait.ts';
import { clip, photo } from '../../support/fixtures/make-media.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

/** The clock stands still, so that what is cached for a second stays cached. */
const now = Date.now();
const { server, bucket } = await sharedBucketInProcess({}, { clock: () => now });
let open: FileWire;
let shut: FileWire;
let jwt: string;

const secret = () => `${shut.url}?jwt=${jwt}`;
const statusOf = async (address: string) => (await fetch(address)).status;

beforeAll(async () => {
  const image = await photo({ width: 64, height: 48 });
  open = await uploadFile(server, bucket, 'image', { access: 'public' }, image, 'a.jpg');
  shut = await uploadFile(server, bucket, 'image', { access: 'private' }, image, 'a.jpg');
  jwt = await createToken(server, bucket);
});

describe('a URL that was just asked for', () => {
  test('opens nothing without its own token, of another file, bucket or name', async () => {
    expect(await warm(server, secret())).toBe(200);
    const { url } = shut;
    for (const [address, status] of [
      [url ?? '', 401],
      [`${url}?jwt=`, 401],
      [`${url}?jwt=${jwt}x`, 403],
      [`${url}?jwt=x&jwt=${jwt}`, 403],
      [`${url}x?jwt=${jwt}`, 404],
      [`${url}?JWT=${jwt}`, 401],
      [`${url?.replace(shut.id, open.id)}?jwt=`, 200],
    ] as const) {
      expect([address, await statusOf(address)]).toEqual([address, status]);
    }
  });

  test('has its answer by what else was asked: method, range, conditions, download', async () => {
    const address = open.url ?? '';
    await warm(server, address);
    const response = await fetch(address);
    const etag = response.headers.get('etag') ?? '';
    const bytes = await response.bytes();
    const head = await fetch(address, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
    const part = await fetch(address, { headers: { range: 'bytes=3-6' } });
    expect([part.status, await part.bytes()]).toEqual([206, bytes.slice(3, 7)]);
    const notModified = await fetch(address, { headers: { 'if-none-match': etag } });
    expect([notModified.status, (await notModified.bytes()).length]).toEqual([304, 0]);
    expect((await fetch(address, { headers: { 'if-match': '"x"' } })).status).toBe(412);
    expect((await fetch(address, { headers: { range: 'bytes=999999-' } })).status).toBe(416);
    await warm(server, `${address}?download`);
    const saved = await fetch(`${address}?download`);
    expect(saved.headers.get('content-disposition')).toStartWith('attachment');
    const replaced = await fetch(address);
    expect(replaced.headers.get('content-disposition')).toStartWith('inline');
    expect(await replaced.bytes()).toEqual(bytes);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      expect((await fetch(address, { method })).status).toBe(405);
    }
  });

  test('of format=auto is an answer to each Accept by itself, in whatever order they come', async () => {
    const address = `${open.url}?width=32&format=auto`;
    const types = {
      'image/avif,*/*': 'image/avif',
      'image/webp': 'image/webp',
      '*/*': 'image/jpeg',
    };
    for (let round = 0; round < 4; round += 1) {
      for (const [accept, type] of Object.entries(types)) {
        const response = await fetch(address, { headers: { accept } });
        expect([accept, response.headers.get('content-type')]).toEqual([accept, type]);
        expect(response.headers.get('vary')).toBe('Accept');
      }
    }
  });

  test('under another Host has the same answer, and no other Host gets around the token', async () => {
    await warm(server, secret());
    const { pathname, port } = new URL(shut.url ?? '');
    const at = (path: string, host: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { host } });
    for (const host of ['other.example', 'a:1', new URL(server.url).host]) {
      expect([host, (await at(`${pathname}?jwt=${jwt}`, host)).status]).toEqual([host, 200]);
      expect([host, (await at(pathname, host)).status]).toEqual([host, 401]);
    }
    // The cache key contains host and path, so one may try to look like the other.
    const host = `${new URL(server.url).host}${pathname}?jwt=x&a=`;
    expect((await at(pathname, host)).status).not.toBe(200);
  });

  test('of a playlist carries the token that was asked with, and comes packed to who takes gzip', async () => {
    const fields = { access: 'private', resolution: '320x180' };
    const video = await uploadFile(
      server,
      bucket,
      'video',
      fields,
      await clip({ seconds: 1 }),
      'a.mp4',
    );
    const other = await createToken(server, bucket);
    for (const [token, not] of [
      [jwt, other],
      [other, jwt],
      [jwt, other],
    ]) {
      const text = await (await fetch(`${video.url}?jwt=${token}`)).text();
      expect([text.includes(token ?? ''), text.includes(not ?? '')]).toEqual([true, false]);
    }
    expect(await statusOf(video.url ?? '')).toBe(401);
    const uncompressed = { headers: { 'accept-encoding': 'identity' } };
    const packed = await fetch(`${video.url}?jwt=${jwt}`);
    const uncompressedResponse = await fetch(`${video.url}?jwt=${jwt}`, uncompressed);
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(uncompressedResponse.headers.get('content-encoding')).toBeNull();
    expect(await packed.text()).toBe(await uncompressedResponse.text());
  });
});
