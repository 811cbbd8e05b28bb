import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileWire } from '../../server/contract/wire.ts';
import { BUCKET_EVENTS } from '../../server/features/buckets/service.ts';
import { freshDatabase } from '../support/engines.ts';
import { clip, photo } from '../support/media.ts';
import { startPostgres } from '../support/postgres.ts';
import {
  makeBucket,
  signUp,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { until } from '../support/until.ts';
import { mintToken, upload } from '../support/upload.ts';

/*
 * What whole URLs led to is remembered for the rest of a second. Here the second never ends unless a
 * test says so: whatever is still right then is so because it is looked up again, and not in time.
 */

setDefaultTimeout(90_000);
const postgres = await startPostgres();
const ADMIN = 'admin@example.com';
const start = Math.floor(Date.now() / 1000) * 1000;
let now = start;
let server: TestServer;
let admin: TestUser;
let user: TestUser;
let bucket: { id: string; api_key: string };
let image: Buffer;
let open: FileWire;
let shut: FileWire;
let jwt: string;

const key = () => ({ 'x-api-key': bucket.api_key });
const secret = () => `${shut.url}?jwt=${jwt}`;
const send = async (path: string, method: string, headers: object, body?: unknown) => {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const init = { method, headers: { ...headers, ...json }, body: body && JSON.stringify(body) };
  const answer = await fetch(server.url + path, init as RequestInit);
  expect([path, answer.ok]).toEqual([path, true]);
};
const statusOf = async (address: string) => (await fetch(address)).status;

/** Asks until an answer is one that is remembered; the status of that. */
async function warm(address: string, at = server): Promise<number> {
  const { counts } = at.services;
  for (let i = 0; i < 20; i += 1) {
    const before = counts.cacheHits;
    const status = await statusOf(address);
    if (counts.cacheHits > before) return status;
  }
  throw new Error(`${address} is never remembered`);
}

beforeAll(async () => {
  server = await startServer({ ADMIN_EMAIL: ADMIN }, { clock: () => now });
  admin = await signUp(server, ADMIN);
  image = await photo({ width: 64, height: 48 });
});
afterAll(() => server.stop());
beforeEach(async () => {
  user = await signUp(server);
  bucket = await makeBucket(server, user);
  open = await upload(server, bucket, 'image', { access: 'public' }, image, 'a.jpg');
  shut = await upload(server, bucket, 'image', { access: 'private' }, image, 'a.jpg');
  jwt = await mintToken(server, bucket);
});

describe('what was just delivered, within the same second, ends', () => {
  const ends: [what: string, open: number, shut: number, end: () => Promise<void>][] = [
    [
      'with a ban of the bucket',
      404,
      404,
      () => send(`/admin/buckets/${bucket.id}/ban`, 'POST', admin.authorization),
    ],
    [
      'with a ban of its owner',
      404,
      404,
      () => send(`/admin/users/${user.userId}/ban`, 'POST', admin.authorization),
    ],
    [
      'when the files are deleted',
      404,
      404,
      async () => {
        for (const { id } of [open, shut]) await send(`/files/${bucket.id}/${id}`, 'DELETE', key());
      },
    ],
    [
      'when the API key is rolled, which leaves what is public',
      200,
      403,
      () => send(`/buckets/roll/api-key/${bucket.id}`, 'PUT', user.authorization),
    ],
    [
      'when the bucket has been suspended for long',
      402,
      402,
      async () => {
        const { database, events } = server.services;
        const suspended = { status: 'suspended', suspended_at: 1 } as const;
        const rows = database.db.updateTable('buckets').set(suspended);
        await rows.where('id', '=', bucket.id).execute();
        await events.publish(BUCKET_EVENTS, { bucketId: bucket.id });
      },
    ],
  ];
  for (const [what, openAfter, shutAfter, end] of ends) {
    test(what, async () => {
      const small = `${open.url}?width=32`;
      for (const address of [open.url ?? '', small, secret(), `${secret()}&width=32`]) {
        expect([address, await warm(address)]).toEqual([address, 200]);
      }
      await end();
      expect(await statusOf(open.url ?? '')).toBe(openAfter);
      expect(await statusOf(small)).toBe(openAfter);
      for (const address of [secret(), `${secret()}&width=32`]) {
        expect(await statusOf(address)).toBe(shutAfter);
        expect((await fetch(address, { method: 'HEAD' })).status).toBe(shutAfter);
        expect((await fetch(address, { headers: { range: 'bytes=0-9' } })).status).toBe(shutAfter);
        const any = { headers: { 'if-none-match': '*' } };
        expect((await fetch(address, any)).status).toBe(shutAfter);
      }
    });
  }

  test('for other sizes, once the bucket refuses them', async () => {
    expect(await warm(`${open.url}?width=32`)).toBe(200);
    await send(`/buckets/transforms/${bucket.id}`, 'PUT', user.authorization, { policy: 'off' });
    expect(await statusOf(`${open.url}?width=32`)).toBe(403);
    expect(await statusOf(open.url ?? '')).toBe(200);
  });
});

test('a token that expires opens nothing from its second on, however often it was used before', async () => {
  const expires = now / 1000 + 2;
  const address = `${shut.url}?jwt=${await mintToken(server, bucket, { expires })}`;
  const before = now;
  now = expires * 1000 - 1;
  expect(await warm(address)).toBe(200);
  expect(await warm(address)).toBe(200);
  now = expires * 1000;
  expect(await statusOf(address)).toBe(403);
  // Back to where other tests began: nothing that was remembered since may come back with it.
  now = before;
  expect(await statusOf(address)).toBe(200);
});

describe('one URL', () => {
  test('opens nothing without its own token, of another file, bucket or name', async () => {
    expect(await warm(secret())).toBe(200);
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
    await warm(address);
    const whole = await fetch(address);
    const etag = whole.headers.get('etag') ?? '';
    const bytes = await whole.bytes();
    const head = await fetch(address, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
    const part = await fetch(address, { headers: { range: 'bytes=3-6' } });
    expect([part.status, await part.bytes()]).toEqual([206, bytes.slice(3, 7)]);
    const known = await fetch(address, { headers: { 'if-none-match': etag } });
    expect([known.status, (await known.bytes()).length]).toEqual([304, 0]);
    expect((await fetch(address, { headers: { 'if-match': '"x"' } })).status).toBe(412);
    expect((await fetch(address, { headers: { range: 'bytes=999999-' } })).status).toBe(416);
    await warm(`${address}?download`);
    const saved = await fetch(`${address}?download`);
    expect(saved.headers.get('content-disposition')).toStartWith('attachment');
    const shown = await fetch(address);
    expect(shown.headers.get('content-disposition')).toStartWith('inline');
    expect(await shown.bytes()).toEqual(bytes);
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
        const answer = await fetch(address, { headers: { accept } });
        expect([accept, answer.headers.get('content-type')]).toEqual([accept, type]);
        expect(answer.headers.get('vary')).toBe('Accept');
      }
    }
  });

  test('under another Host has the same answer, and no other Host gets around the token', async () => {
    await warm(secret());
    const { pathname, port } = new URL(shut.url ?? '');
    const at = (path: string, host: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { host } });
    for (const host of ['other.example', 'a:1', new URL(server.url).host]) {
      expect([host, (await at(`${pathname}?jwt=${jwt}`, host)).status]).toEqual([host, 200]);
      expect([host, (await at(pathname, host)).status]).toEqual([host, 401]);
    }
    // A URL is made of both, so the one may try to look like the other.
    const host = `${new URL(server.url).host}${pathname}?jwt=x&a=`;
    expect((await at(pathname, host)).status).not.toBe(200);
  });

  test('of a playlist carries the token that was asked with, and comes packed to who takes gzip', async () => {
    const fields = { access: 'private', resolution: '320x180' };
    const video = await upload(
      server,
      bucket,
      'video',
      fields,
      await clip({ seconds: 2 }),
      'a.mp4',
    );
    const other = await mintToken(server, bucket);
    for (const [token, not] of [
      [jwt, other],
      [other, jwt],
      [jwt, other],
    ]) {
      const text = await (await fetch(`${video.url}?jwt=${token}`)).text();
      expect([text.includes(token ?? ''), text.includes(not ?? '')]).toEqual([true, false]);
    }
    expect(await statusOf(video.url ?? '')).toBe(401);
    const bare = { headers: { 'accept-encoding': 'identity' } };
    const packed = await fetch(`${video.url}?jwt=${jwt}`);
    const plain = await fetch(`${video.url}?jwt=${jwt}`, bare);
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await packed.text()).toBe(await plain.text());
  });
});

describe.skipIf(!postgres)('of two servers on one PostgreSQL', () => {
  let one: TestServer;
  let other: TestServer;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wharf-second-'));
    const env = {
      DATABASE_URL: await freshDatabase(postgres?.url ?? ''),
      APP_SECRET: 'of both, and of nobody else: a long one',
    };
    one = await startServer(env, { clock: () => now, dataDir: folder });
    other = await startServer(env, { clock: () => now, dataDir: folder });
  });
  afterAll(async () => {
    await one.stop();
    await other.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('what one is told ends what the other remembers', async () => {
    const owner = await signUp(one);
    const place = await makeBucket(one, owner);
    const sent = await upload(one, place, 'image', { access: 'private' }, image, 'a.jpg');
    const token = await mintToken(one, place);
    const address = `${other.url}${new URL(sent.url ?? '').pathname}?jwt=`;
    expect(await warm(address + token, other)).toBe(200);
    const rolled = await fetch(`${one.url}/buckets/roll/api-key/${place.id}`, {
      method: 'PUT',
      headers: owner.authorization,
    });
    const { api_key } = (await rolled.json()) as { api_key: string };
    await until(async () => (await statusOf(address + token)) === 403, 2);
    const fresh = await mintToken(one, { ...place, api_key });
    expect(await warm(address + fresh, other)).toBe(200);
    const removed = { method: 'DELETE', headers: { 'x-api-key': api_key } };
    expect((await fetch(`${one.url}/files/${place.id}/${sent.id}`, removed)).status).toBe(204);
    await until(async () => (await statusOf(address + fresh)) === 404, 2);
  });
});
