import { beforeAll, describe, expect, test } from 'bun:test';
import type { Access, FileWire } from '../../../server/contract/wire.ts';
import { createBucket, createToken, signUp } from '../../support/client/api.ts';
import { expiredToken } from '../../support/client/forged-tokens.ts';
import { until } from '../../support/client/wait.ts';
import { bucket, open, secret, secretVideo, server, user, video } from './delivered.ts';

const SIZE = '320x180';
const files: Record<Access, { image: FileWire; video: FileWire }> = {
  public: { image: open, video },
  private: { image: secret, video: secretVideo },
};
const tokens = {} as Record<Kind, string | null>;

/** The kinds of values of `?jwt=`, with the response of a private file to each. */
const KINDS = {
  'no token': 401,
  'an empty token': 401,
  'the bucket’s read token': 200,
  'the list’s token': 200,
  'the file’s own token': 200,
  'a token of another file': 403,
  'a token of another folder': 403,
  'a token of another bucket': 403,
  'an expired token': 403,
  'a write token': 403,
  'a session token': 403,
  'the API key': 403,
  'a forged token': 403,
  'a token signed by nobody': 403,
  nonsense: 403,
} as const;
type Kind = keyof typeof KINDS;

/** Every kind of object with its URL. The objects beside a video are named by its playlists. */
const OBJECTS: Record<string, (of: { image: FileWire; video: FileWire }) => string> = {
  original: ({ image }) => image.url ?? '',
  derivative: ({ image }) => `${image.url}?width=32`,
  'derivative of the poster': ({ video }) => `${video.poster}?format=png&width=32`,
  playlist: ({ video }) => video.url ?? '',
  'playlist of a size': ({ video }) => below(video, `${SIZE}/playlist.m3u8`),
  'I-frame playlist': ({ video }) => below(video, `${SIZE}/iframes.m3u8`),
  'first segment': ({ video }) => below(video, `${SIZE}/init.mp4`),
  segment: ({ video }) => below(video, `${SIZE}/seg_00000.m4s`),
  cues: ({ video }) => video.previews ?? '',
  sprite: ({ video }) => below(video, 'previews/sheet_000.webp'),
  poster: ({ video }) => video.poster ?? '',
};

const below = ({ url }: FileWire, name: string) => `${url?.replace(/[^/]+$/, '')}${name}`;
const withToken = (address: string, token: string | null) =>
  token === null ? address : `${address}${address.includes('?') ? '&' : '?'}jwt=${token}`;
const get = (address: string, method = 'GET') => fetch(address, { method });

beforeAll(async () => {
  const stranger = await createBucket(server, (await signUp(server)).token);
  const list = await fetch(`${server.url}/files/${bucket.id}`, {
    headers: { 'x-api-key': bucket.api_key },
  });
  const good = await createToken(server, bucket);
  const [head = '', claims = '', signature = ''] = good.split('.');
  const unsigned = btoa('{"alg":"none"}').replaceAll('=', '');
  Object.assign(tokens, {
    'no token': null,
    'an empty token': '',
    'the bucket’s read token': good,
    'the list’s token': ((await list.json()) as { jwt: string }).jwt,
    'a token of another folder': await createToken(server, bucket, { prefix: 'elsewhere/' }),
    'a token of another bucket': await createToken(server, stranger),
    'an expired token': await expiredToken(server, bucket.id),
    'a write token': await createToken(server, bucket, { scope: 'write' }),
    'a session token': user.token,
    'the API key': bucket.api_key,
    'a forged token': `${head}.${claims}.${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`,
    'a token signed by nobody': `${unsigned}.${claims}.`,
    nonsense: 'a.b.c',
  });
});

/** A token of one file depends on the requested file. */
async function tokenFor(kind: Kind, name: string, access: Access): Promise<string | null> {
  const { image, video } = files[access];
  const [own, other] = ['original', 'derivative'].includes(name) ? [image, video] : [video, image];
  if (kind === 'the file’s own token') return createToken(server, bucket, { fileId: own.id });
  if (kind === 'a token of another file') return createToken(server, bucket, { fileId: other.id });
  return tokens[kind];
}

describe.each(Object.keys(OBJECTS))('the %s', (name) => {
  const addressOf = (access: Access) => OBJECTS[name]?.(files[access]) ?? '';

  test.each(Object.keys(KINDS) as Kind[])(
    'of a public file is there for all, with %s',
    async (kind) => {
      const token = await tokenFor(kind, name, 'public');
      const image = await get(addressOf('public'));
      const response = await get(withToken(addressOf('public'), token));
      expect([image.status, response.status]).toEqual([200, 200]);
      expect(await response.bytes()).toEqual(await image.bytes());
    },
  );

  test.each(Object.entries(KINDS) as [Kind, number][])(
    'of a private file answers %s with %d',
    async (kind, status) => {
      const address = withToken(addressOf('private'), await tokenFor(kind, name, 'private'));
      // The second request is answered from the cache, which takes another code path.
      for (const method of ['GET', 'GET', 'HEAD']) {
        const response = await get(address, method);
        expect([kind, method, response.status]).toEqual([kind, method, status]);
        const cacheControl = response.headers.get('cache-control');
        expect(cacheControl).toBe(status === 200 ? 'private, no-store' : 'no-store');
        const length = (await response.arrayBuffer()).byteLength;
        if (status === 200 && method === 'GET') expect(length).toBeGreaterThan(20);
      }
    },
  );
});

test('what was uploaded, and what is not of a file, is nowhere, whatever the token', async () => {
  const { image } = files.private;
  const base = `${server.url}/cdn/${bucket.id}/${image.id}`;
  for (const name of ['original', 'original.jpg', 'source.jpg', 'early.m3u8', '../o/source.jpg']) {
    const response = await get(withToken(`${base}/${name}`, tokens['the bucket’s read token']));
    expect([name, response.status]).toEqual([name, 404]);
  }
});

test('a read token opens no call of the API, and none by the header is read for a file', async () => {
  const headers = { authorization: `Bearer ${tokens['the bucket’s read token']}` };
  for (const [method, path] of [
    ['GET', `/files/${bucket.id}`],
    ['DELETE', `/files/${bucket.id}/${files.private.image.id}`],
    ['GET', `/buckets/${bucket.id}`],
    ['GET', '/buckets'],
    ['POST', `/buckets/jwt/${bucket.id}/0/read`],
    ['PUT', `/buckets/roll/api-key/${bucket.id}`],
    ['POST', `/files/upload/image/${bucket.id}`],
    ['GET', '/users/profile'],
  ] as const) {
    const response = await fetch(`${server.url}${path}`, { method, headers });
    expect([path, response.status]).toEqual([path, 401]);
  }
  expect((await fetch(files.private.image.url ?? '', { headers })).status).toBe(401);
});

test('a token for no file, for one of nobody, or to write to one is refused when it is minted', async () => {
  const mint = (body: unknown, scope = 'read') =>
    user.client.post(`/buckets/jwt/${bucket.id}/0/${scope}`, body, user.authorization);
  expect((await mint({ file_id: 'nonsense' })).status).toBe(422);
  expect((await mint({ file_id: '' })).status).toBe(422);
  expect((await mint({ file_id: 7 })).status).toBe(422);
  expect((await mint({})).status).toBe(200);
  const write = await mint({ file_id: files.private.image.id }, 'write');
  expect([write.status, await write.text()]).toEqual([
    422,
    'A write token is for the whole bucket. Leave out file_id and prefix.',
  ]);
});

test('a bucket that has reached its bandwidth limit delivers nothing at all', async () => {
  const setLimit = (limit: number | null) =>
    fetch(`${server.url}/buckets/bandwidth-limit/${bucket.id}`, {
      method: 'PUT',
      headers: { ...user.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ limit }),
    });
  const statuses = async () => {
    const responses = Object.values(OBJECTS).flatMap((of) => [
      get(of(files.public)),
      get(withToken(of(files.private), tokens['the bucket’s read token'])),
    ]);
    return new Set((await Promise.all(responses)).map(({ status }) => status));
  };
  expect((await setLimit(1)).status).toBe(200);
  // What was sent is written every second, and stops the bucket then.
  await until(async () => (await get(files.public.image.url ?? '')).status === 429);
  expect(await statuses()).toEqual(new Set([429]));
  expect((await setLimit(null)).status).toBe(200);
  expect(await statuses()).toEqual(new Set([200]));
});

describe('rolling the key', () => {
  test('kills every token at once, on what was just delivered too', async () => {
    const addresses = Object.values(OBJECTS).map((of) => of(files.private));
    const old = [
      tokens['the bucket’s read token'],
      tokens['the list’s token'],
      await createToken(server, bucket, { fileId: files.private.image.id }),
    ];
    const image = files.private.image.url ?? '';
    for (const token of old) expect((await get(withToken(image, token))).status).toBe(200);
    // Requests continue all the time. None that begins after the response may succeed.
    let isRolled = false;
    const delays: number[] = [];
    const crowd = Array.from({ length: 8 }, async () => {
      while (delays.length < 200) {
        const after = isRolled;
        const { status } = await get(withToken(image, old[0] ?? ''));
        if (after) delays.push(status);
      }
    });
    await Bun.sleep(100);
    const rolled = await fetch(`${server.url}/buckets/roll/api-key/${bucket.id}`, {
      method: 'PUT',
      headers: user.authorization,
    });
    isRolled = true;
    expect(rolled.status).toBe(200);
    await Promise.all(crowd);
    expect(new Set(delays)).toEqual(new Set([403]));
    for (const address of addresses) {
      for (const token of old) expect((await get(withToken(address, token))).status).toBe(403);
    }
    Object.assign(bucket, (await rolled.json()) as { api_key: string });
    const fresh = await createToken(server, bucket);
    for (const address of addresses) {
      expect((await get(withToken(address, fresh))).status).toBe(200);
    }
  });
});
