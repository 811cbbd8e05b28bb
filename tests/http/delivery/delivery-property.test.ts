import { expect, test } from 'bun:test';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createToken, uploadFile } from '../../support/client/api.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { rounds } from '../../support/fixtures/torture.ts';
import { bucket, server, video } from './delivered.ts';
import { type Delivered, expectedOf, headersOf, randomCase } from './delivery-model.ts';

const REQUESTS = rounds(20_000, 2_000);
const CONCURRENCY = 16;

type Thing = { name: string; address: string; accepted: string; expected: Delivered };

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

const send = (
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
  const response = await send({ address, accepted });
  expect([name, response.status]).toEqual([name, 200]);
  const etag = response.headers.get('etag') ?? '';
  const modified = Date.parse(response.headers.get('last-modified') ?? '');
  return { name, address, accepted, expected: { bytes: await response.bytes(), etag, modified } };
}

const below = ({ url }: FileWire, name: string) => `${url?.replace(/[^/]+$/, '')}${name}`;

async function everyKind(): Promise<Thing[]> {
  const image = (access: string, bytes: Buffer) =>
    uploadFile(server, bucket, 'image', { access }, bytes, 'a.jpg');
  const large = await photo({ width: 1000, height: 800, blur: 0.3 });
  const jwt = await createToken(server, bucket);
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
    await thing('a packed playlist', below(video, '320x180/playlist.m3u8'), 'gzip'),
    await thing('a segment', below(video, '320x180/seg_00000.m4s')),
  ];
}

test(`${REQUESTS} random range and conditional requests are answered as the model says`, async () => {
  const things = await everyKind();
  const sizes = things.map(({ expected }) => expected.bytes.length);
  expect(Math.min(...sizes)).toBeLessThan(16 * 1024);
  expect(Math.max(...sizes)).toBeGreaterThan(256 * 1024);

  const seed = Date.now() % 2 ** 32;
  const random = randomFrom(seed);
  const counts = new Map<number, number>();
  let remaining = REQUESTS;

  const check = async () => {
    const one = things[Math.floor(random() * things.length)] as Thing;
    const request = randomCase(random, one.expected.bytes.length);
    const expected = expectedOf(request, one.expected);
    const headers = headersOf(request, one.expected);
    const about = `seed ${seed}: ${request.method} ${one.name} ${JSON.stringify(headers)}`;
    const response = await send(one, headers, request.method);
    const body = await response.bytes();
    counts.set(response.status, (counts.get(response.status) ?? 0) + 1);
    const is = (actual: unknown, value: unknown) => expect([about, actual]).toEqual([about, value]);
    is(response.status, expected.status);
    const header = (name: string) => response.headers.get(name);
    const size = one.expected.bytes.length;
    if ('start' in expected) {
      const part = one.expected.bytes.subarray(expected.start, expected.end);
      is(header('etag'), one.expected.etag);
      is(header('content-length'), String(part.length));
      is(Buffer.compare(body, request.method === 'HEAD' ? new Uint8Array() : part), 0);
      const range = `bytes ${expected.start}-${expected.end - 1}/${size}`;
      is(header('content-range'), expected.status === 206 ? range : null);
      return;
    }
    is(header('content-range'), expected.status === 416 ? `bytes */${size}` : null);
    if (expected.status === 304) is([header('etag'), body.length], [one.expected.etag, 0]);
    else is(header('cache-control'), 'no-store');
  };
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (remaining > 0) {
        remaining -= 1;
        await check();
      }
    }),
  );
  expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(REQUESTS);
  for (const status of [200, 206, 304, 412, 416]) {
    expect([status, (counts.get(status) ?? 0) > REQUESTS / 100]).toEqual([status, true]);
  }
});
