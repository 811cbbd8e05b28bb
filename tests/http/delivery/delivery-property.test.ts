import { afterAll, expect, test } from 'bun:test';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createBucket, createToken, signUp, uploadFile } from '../../support/client/api.ts';
import { clip, photo } from '../../support/fixtures/make-media.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';
import { expectedOf, headersOf, type Known, randomCase } from './delivery-model.ts';

const REQUESTS = 5_000;
const AT_ONCE = 16;
let server: TestServer | undefined;
afterAll(() => server?.stop());

type Thing = { name: string; address: string; accepted: string; known: Known };

/** Returns a generator of numbers from 0 to below 1, always the same ones for a seed (mulberry32). */
function randomFrom(seed: number) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const ask = (
  { address, accepted }: Pick<Thing, 'address' | 'accepted'>,
  headers: Record<string, string> = {},
  method = 'GET',
) =>
  fetch(address, {
    method,
    headers: { 'accept-encoding': accepted, ...headers },
    decompress: false,
  });

async function thing(name: string, address: string, accepted = 'identity'): Promise<Thing> {
  const response = await ask({ address, accepted });
  expect([name, response.status]).toEqual([name, 200]);
  const etag = response.headers.get('etag') ?? '';
  const modified = Date.parse(response.headers.get('last-modified') ?? '');
  return { name, address, accepted, known: { bytes: await response.bytes(), etag, modified } };
}

const below = ({ url }: FileWire, name: string) => `${url?.replace(/[^/]+$/, '')}${name}`;

async function everyKind(started: TestServer): Promise<Thing[]> {
  const bucket = await createBucket(started, (await signUp(started)).token);
  const image = (access: string, bytes: Buffer) =>
    uploadFile(started, bucket, 'image', { access }, bytes, 'a.jpg');
  const fields = { access: 'public', resolution: '640x360' };
  const video = await uploadFile(
    started,
    bucket,
    'video',
    fields,
    await clip({ seconds: 7 }),
    'a.mp4',
  );
  const large = await photo({ width: 2400, height: 1800 });
  const jwt = await createToken(started, bucket);
  const [small, big, secret, bigSecret] = await Promise.all([
    image('public', await photo({ width: 64, height: 64 })),
    image('public', large),
    image('private', await photo({ width: 64, height: 64 })),
    image('private', large),
  ]);
  return [
    await thing('a small image', small.url ?? ''),
    await thing('a large image', big.url ?? ''),
    await thing('a private image', `${secret.url}?jwt=${jwt}`),
    await thing('a large private image', `${bigSecret.url}?jwt=${jwt}&download`),
    await thing('a playlist', video.url ?? ''),
    await thing('a packed playlist', below(video, '640x360/playlist.m3u8'), 'gzip'),
    await thing('a segment', below(video, '640x360/seg_00000.m4s')),
  ];
}

test(`${REQUESTS} random range and conditional requests are answered as the model says`, async () => {
  server = await startServer();
  const things = await everyKind(server);
  const sizes = things.map(({ known }) => known.bytes.length);
  expect(Math.min(...sizes)).toBeLessThan(16 * 1024);
  expect(Math.max(...sizes)).toBeGreaterThan(256 * 1024);

  const seed = Date.now() % 2 ** 32;
  const random = randomFrom(seed);
  const seen = new Map<number, number>();
  let left = REQUESTS;

  const check = async () => {
    const one = things[Math.floor(random() * things.length)] as Thing;
    const asked = randomCase(random, one.known.bytes.length);
    const expected = expectedOf(asked, one.known);
    const headers = headersOf(asked, one.known);
    const about = `seed ${seed}: ${asked.method} ${one.name} ${JSON.stringify(headers)}`;
    const response = await ask(one, headers, asked.method);
    const body = await response.bytes();
    seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
    const is = (actual: unknown, wanted: unknown) =>
      expect([about, actual]).toEqual([about, wanted]);
    is(response.status, expected.status);
    const told = (name: string) => response.headers.get(name);
    const size = one.known.bytes.length;
    if ('start' in expected) {
      const part = one.known.bytes.subarray(expected.start, expected.end);
      is(told('etag'), one.known.etag);
      is(told('content-length'), String(part.length));
      is(Buffer.compare(body, asked.method === 'HEAD' ? new Uint8Array() : part), 0);
      const range = `bytes ${expected.start}-${expected.end - 1}/${size}`;
      is(told('content-range'), expected.status === 206 ? range : null);
      return;
    }
    is(told('content-range'), expected.status === 416 ? `bytes */${size}` : null);
    if (expected.status === 304) is([told('etag'), body.length], [one.known.etag, 0]);
    else is(told('cache-control'), 'no-store');
  };
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left > 0) {
        left -= 1;
        await check();
      }
    }),
  );
  expect([...seen.values()].reduce((sum, count) => sum + count, 0)).toBe(REQUESTS);
  for (const status of [200, 206, 304, 412, 416]) {
    expect([status, (seen.get(status) ?? 0) > REQUESTS / 100]).toEqual([status, true]);
  }
});
