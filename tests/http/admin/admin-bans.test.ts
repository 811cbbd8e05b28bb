import { afterAll, describe, expect, test } from 'bun:test';
import { HOUR } from '../../../server/contract/limits.ts';
import type { AdminBucketDetailWire, BucketDetailWire } from '../../../server/contract/wire.ts';
import { createBucket, createToken, PASSWORD } from '../../support/client/api.ts';
import { browser } from '../../support/client/browser.ts';
import { until } from '../../support/client/wait.ts';
import { ADMIN, withAdmin } from '../../support/fixtures/admin-fixture.ts';
import { startServerInProcess } from '../../support/server/in-process-server.ts';

const { server, admin, send, get, act, logs, tryUpload, owner } = await withAdmin(
  await startServerInProcess({ ADMIN_EMAIL: ADMIN }),
);
afterAll(() => server.stop());
const DONE = [204, ''] as const;
const status = async (url: string) => (await fetch(url)).status;

describe('banning a bucket', () => {
  test('stops its delivery, its uploads, its key and its tokens at once, and unbanning brings all back', async () => {
    const { user, bucket, url } = await owner();
    const token = await createToken(server, bucket, { scope: 'write' });
    expect(await status(url)).toBe(200);
    expect(await act('POST', `/admin/buckets/${bucket.id}/ban`)).toEqual(DONE);

    expect(await status(url)).toBe(404);
    for (const credential of [bucket.api_key, token, user.token]) {
      const refused = await tryUpload(bucket, credential);
      expect([refused.status, refused.headers.get('x-error-code')]).toEqual([403, 'banned']);
    }
    const listed = await fetch(`${server.url}/files/${bucket.id}`, {
      headers: { 'x-api-key': bucket.api_key },
    });
    expect(listed.status).toBe(403);
    // The owner sees the reason, and can still look at files and delete them.
    expect((await get<BucketDetailWire>(`/buckets/${bucket.id}`, user)).status).toBe('banned');
    expect((await send('GET', `/files/${bucket.id}`, undefined, user)).status).toBe(200);
    expect((await get<AdminBucketDetailWire>(`/admin/buckets/${bucket.id}`)).banned).not.toBeNull();

    expect(await act('POST', `/admin/buckets/${bucket.id}/unban`)).toEqual(DONE);
    expect(await status(url)).toBe(200);
    expect((await tryUpload(bucket, token)).status).toBe(201);
    expect((await get<BucketDetailWire>(`/buckets/${bucket.id}`, user)).status).toBe('running');
  });

  test('leaves other buckets alone, and can be done once at a time', async () => {
    const { user, bucket } = await owner();
    const other = await createBucket(server, user.token, 'Other');
    const path = `/admin/buckets/${bucket.id}`;
    expect((await act('POST', `${path}/unban`))[0]).toBe(409);
    expect(await act('POST', `${path}/ban`)).toEqual(DONE);
    expect(await act('POST', `${path}/ban`)).toEqual([409, 'This bucket is already banned.']);
    expect((await tryUpload(other)).status).toBe(201);
    const unknown = '01jjjjjjjjjjjjjjjjjjjjjjjj';
    expect((await act('POST', `/admin/buckets/${unknown}/ban`))[0]).toBe(404);
  });

  test('brings a suspended one back as suspended, and lets it be resumed meanwhile', async () => {
    const { user, bucket } = await owner();
    const { db } = server;
    const set = (delivery_until: number | null) =>
      db
        .updateTable('ledger_accounts')
        .set({ delivery_until })
        .where('user_id', '=', user.userId)
        .execute();
    const now = async () => (await get<BucketDetailWire>(`/buckets/${bucket.id}`, user)).status;
    await set(Date.now() + HOUR);
    await act('POST', `/admin/buckets/${bucket.id}/ban`);
    expect(await now()).toBe('banned');
    await act('POST', `/admin/buckets/${bucket.id}/unban`);
    expect(await now()).toBe('suspended');
    await act('POST', `/admin/buckets/${bucket.id}/ban`);
    await set(null);
    expect(await now()).toBe('banned');
    await act('POST', `/admin/buckets/${bucket.id}/unban`);
    expect(await now()).toBe('running');
  });

  test('refuses the file of an upload that began before', async () => {
    const { user, bucket } = await owner();
    const { database, buckets } = server.services;
    await act('POST', `/admin/buckets/${bucket.id}/ban`);
    const upload = { fileId: 'late', createdAt: Date.now(), bytes: 1 };
    const target = { id: bucket.id, user_id: user.userId };
    const delayed = database.batch(buckets.contents.uploadAdditions(target, upload));
    await expect(delayed).rejects.toMatchObject({ code: 'banned' });
  });
});

describe('banning a user', () => {
  test('ends sessions and sockets, and stops keys, tokens and delivery of all their buckets', async () => {
    const { user, bucket, url } = await owner();
    const token = await createToken(server, bucket, { scope: 'write' });
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws?user_id=${user.userId}`, {
      headers: { origin: server.url, cookie: user.client.cookies() },
    } as never);
    const closed = new Promise<number>((resolve) => {
      socket.onclose = ({ code }) => resolve(code);
    });
    await new Promise((resolve) => {
      socket.onopen = resolve;
    });
    expect(await act('POST', `/admin/users/${user.userId}/ban`)).toEqual(DONE);

    expect(await closed).toBe(4401);
    expect((await send('GET', '/users/profile', undefined, user)).status).toBe(401);
    expect(await status(url)).toBe(404);
    expect((await tryUpload(bucket)).status).toBe(403);
    expect((await tryUpload(bucket, token)).status).toBe(403);
    const page = await user.client.fetch('/dashboard');
    expect([page.status, page.headers.get('location')]).toEqual([302, '/login']);

    const newBrowser = browser(server.url);
    const wrong = await newBrowser.post(`/users/send/email/no/auth/${user.email}/login`, {
      password: 'not the password',
    });
    expect(wrong.status).toBe(401);
    const right = await newBrowser.post(`/users/send/email/no/auth/${user.email}/login`, {
      password: PASSWORD,
    });
    expect([right.status, await right.text()]).toEqual([403, 'This account is banned.']);

    expect(await act('POST', `/admin/users/${user.userId}/unban`)).toEqual(DONE);
    expect(await status(url)).toBe(200);
    expect((await tryUpload(bucket)).status).toBe(201);
    // A session that has ended stays ended.
    expect((await send('GET', '/users/profile', undefined, user)).status).toBe(401);
  });

  test('begins the time after which the buckets are deleted, and lifting the ban ends it', async () => {
    const { user } = await owner();
    const bannedAt = async () => {
      const users = server.db.selectFrom('users').select('banned_at');
      return (await users.where('id', '=', user.userId).executeTakeFirstOrThrow()).banned_at;
    };
    await act('POST', `/admin/users/${user.userId}/ban`);
    expect(Date.now() - Number(await bannedAt())).toBeLessThan(HOUR);
    await act('POST', `/admin/users/${user.userId}/unban`);
    expect(await bannedAt()).toBeNull();
  });

  test('leaves a bucket banned that was so by itself', async () => {
    const { user, bucket, url } = await owner();
    await act('POST', `/admin/buckets/${bucket.id}/ban`);
    await act('POST', `/admin/users/${user.userId}/ban`);
    await act('POST', `/admin/users/${user.userId}/unban`);
    expect(await status(url)).toBe(404);
  });

  test('is not for the admin to do to themself, nor is deleting', async () => {
    const text = "The admin's own account can't be banned or deleted.";
    expect(await act('POST', `/admin/users/${admin.userId}/ban`)).toEqual([403, text]);
    const path = `/admin/users/${admin.userId}`;
    expect(await act('DELETE', path, { email: ADMIN })).toEqual([403, text]);
    expect((await send('GET', '/users/profile')).status).toBe(200);
  });
});

describe('deleting', () => {
  test('a bucket needs its name, and wipes all that is in it', async () => {
    const { user, bucket, url, fileId } = await owner();
    const path = `/admin/buckets/${bucket.id}`;
    expect(await act('DELETE', path, { name: 'pictures' })).toEqual([
      409,
      "The name doesn't match this bucket.",
    ]);
    expect(await status(url)).toBe(200);
    expect(await act('DELETE', path, { name: 'Pictures' })).toEqual(DONE);
    expect(await status(url)).toBe(404);
    const { db } = server;
    const rows = () => db.selectFrom('buckets').where('id', '=', bucket.id).select('id').execute();
    await until(async () => (await rows()).length === 0);
    expect(await db.selectFrom('files').where('id', '=', fileId).select('id').execute()).toEqual(
      [],
    );
    await until(async () => {
      await server.services.housekeeping.round();
      for await (const { key } of server.services.objects.list('')) {
        if (key.includes(bucket.id)) return false;
      }
      return true;
    });
    expect((await send('GET', '/users/profile', undefined, user)).status).toBe(200);
    expect((await act('DELETE', path, { name: 'Pictures' }))[0]).toBe(404);
  });

  test('a user needs their address, ends all they have, and leaves the log without the address', async () => {
    const { user, bucket, url } = await owner();
    const path = `/admin/users/${user.userId}`;
    expect((await act('DELETE', path, { email: ADMIN }))[0]).toBe(409);
    expect(await act('DELETE', path, { email: user.email })).toEqual(DONE);
    expect(await status(url)).toBe(404);
    expect((await send('GET', '/users/profile', undefined, user)).status).toBe(401);
    await until(async () => (await send('GET', path)).status === 404);
    expect((await send('GET', `/admin/buckets/${bucket.id}`)).status).toBe(404);

    const entries = await logs(`?subject=${user.userId}`);
    expect(entries.map(({ action }) => action)).toEqual([
      'user.wiped',
      'user.deleted',
      'user.signed-up',
    ]);
    expect(entries[2]?.actor).toEqual({
      kind: 'user',
      user: { id: user.userId, email: null },
      key_id: null,
    });
    const all = await server.db.selectFrom('audit_log').selectAll().execute();
    expect(JSON.stringify(all)).not.toContain(user.email);
    expect(JSON.stringify(all)).not.toContain('@');
  });
});
