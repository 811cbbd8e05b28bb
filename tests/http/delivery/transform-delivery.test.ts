import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileWire } from '../../../server/contract/wire.ts';
import { BUCKET_EVENTS } from '../../../server/features/buckets/service.ts';
import {
  createBucket,
  createToken,
  requestCode,
  signUp,
  type TestUser,
  uploadFile,
} from '../../support/client/api.ts';
import { until, warm } from '../../support/client/wait.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { migratedDatabase } from '../../support/server/engines.ts';
import {
  type InProcessServer,
  sharedServerInProcess,
  startServerInProcess,
} from '../../support/server/in-process-server.ts';
import { startPostgres } from '../../support/services/postgres.ts';

/*
 * Delivery caches what a URL leads to for the rest of the second. The clock stands still here unless a test
 * moves it, so what is still right afterwards was looked up again and did not just expire.
 */

const postgres = await startPostgres();
const ADMIN = 'admin@example.com';
const image = await photo({ width: 64, height: 48 });
let now = Math.floor(Date.now() / 1000) * 1000;
const server = await sharedServerInProcess({ ADMIN_EMAIL: ADMIN }, { clock: () => now });
const admin = await signUp(server, ADMIN);
let user: TestUser;
let bucket: { id: string; api_key: string };
let open: FileWire;
let shut: FileWire;
let jwt: string;

const key = () => ({ 'x-api-key': bucket.api_key });
const secret = () => `${shut.url}?jwt=${jwt}`;
const send = async (path: string, method: string, headers: object, body?: unknown) => {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const init = { method, headers: { ...headers, ...json }, body: body && JSON.stringify(body) };
  const response = await fetch(server.url + path, init as RequestInit);
  expect([path, response.ok]).toEqual([path, true]);
};
const statusOf = async (address: string) => (await fetch(address)).status;

/** Deletes a bucket or an account, which needs a mailed code. */
async function remove(path: string, what: 'bucket' | 'account') {
  const code = await requestCode(
    server,
    user,
    `delete-${what}`,
    what === 'bucket' ? { bucket_id: bucket.id } : {},
  );
  const response = await user.client.fetch(path, {
    method: 'DELETE',
    headers: { ...user.authorization, 'content-type': 'application/json' },
    body: JSON.stringify(what === 'bucket' ? { email_token: code } : { token: code }),
  });
  expect(response.status).toBe(204);
}

beforeEach(async () => {
  user = await signUp(server);
  bucket = await createBucket(server, user.token);
  open = await uploadFile(server, bucket, 'image', { access: 'public' }, image, 'a.jpg');
  shut = await uploadFile(server, bucket, 'image', { access: 'private' }, image, 'a.jpg');
  jwt = await createToken(server, bucket);
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
    ['when the bucket is deleted', 404, 404, () => remove(`/buckets/${bucket.id}`, 'bucket')],
    ['when the account is deleted', 404, 404, () => remove('/users', 'account')],
    [
      'when the bucket has been suspended for long',
      402,
      402,
      async () => {
        const { database, events } = server.services;
        const { userId } = user;
        const account = database.db.updateTable('ledger_accounts').set({ delivery_until: 1 });
        await account.where('user_id', '=', userId).execute();
        await events.publish(BUCKET_EVENTS, { userId });
      },
    ],
  ];
  for (const [what, openAfter, shutAfter, end] of ends) {
    test(what, async () => {
      const small = `${open.url}?width=32`;
      for (const address of [open.url ?? '', small, secret(), `${secret()}&width=32`]) {
        expect([address, await warm(server, address)]).toEqual([address, 200]);
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
    expect(await warm(server, `${open.url}?width=32`)).toBe(200);
    await send(`/buckets/transforms/${bucket.id}`, 'PUT', user.authorization, { policy: 'off' });
    expect(await statusOf(`${open.url}?width=32`)).toBe(403);
    expect(await statusOf(open.url ?? '')).toBe(200);
  });
});

test('a token that expires opens nothing from its second on, however often it was used before', async () => {
  const expires = now / 1000 + 2;
  const address = `${shut.url}?jwt=${await createToken(server, bucket, { expires })}`;
  const before = now;
  now = expires * 1000 - 1;
  expect(await warm(server, address)).toBe(200);
  expect(await warm(server, address)).toBe(200);
  now = expires * 1000;
  expect(await statusOf(address)).toBe(403);
  // The clock returns to where other tests began, and nothing that was cached since may come back.
  now = before;
  expect(await statusOf(address)).toBe(200);
});

describe.skipIf(!postgres)('of two servers on one PostgreSQL', () => {
  let one: InProcessServer;
  let other: InProcessServer;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wharf-second-'));
    const env = {
      DATABASE_URL: await migratedDatabase(postgres?.url ?? ''),
      APP_SECRET: 'of both, and of nobody else: a long one',
    };
    one = await startServerInProcess(env, { clock: () => now, dataDir: folder });
    other = await startServerInProcess(env, { clock: () => now, dataDir: folder });
  });
  afterAll(async () => {
    await one.stop();
    await other.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('what one is told ends what the other remembers', async () => {
    const owner = await signUp(one);
    const ownBucket = await createBucket(one, owner.token);
    const file = await uploadFile(one, ownBucket, 'image', { access: 'private' }, image, 'a.jpg');
    const token = await createToken(one, ownBucket);
    const address = `${other.url}${new URL(file.url ?? '').pathname}?jwt=`;
    expect(await warm(other, address + token)).toBe(200);
    const rolled = await fetch(`${one.url}/buckets/roll/api-key/${ownBucket.id}`, {
      method: 'PUT',
      headers: owner.authorization,
    });
    const { api_key } = (await rolled.json()) as { api_key: string };
    await until(async () => (await statusOf(address + token)) === 403);
    const fresh = await createToken(one, { ...ownBucket, api_key });
    expect(await warm(other, address + fresh)).toBe(200);
    const removed = { method: 'DELETE', headers: { 'x-api-key': api_key } };
    expect((await fetch(`${one.url}/files/${ownBucket.id}/${file.id}`, removed)).status).toBe(204);
    await until(async () => (await statusOf(address + fresh)) === 404);
  });
});
