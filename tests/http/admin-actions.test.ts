import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type {
  AdminBucketDetailWire,
  AdminBucketWire,
  AdminJobsWire,
  AdminLogWire,
  AdminUserDetailWire,
  AdminUserWire,
} from '../../server/contract/admin.ts';
import { toMicroUsd } from '../../server/contract/money.ts';
import type { BucketDetailWire, FileWire, Page } from '../../server/contract/wire.ts';
import { photo } from '../support/media.ts';
import {
  browser,
  form,
  makeBucket,
  PASSWORD,
  settledFile,
  signUp,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(30_000);

const ADMIN = 'admin@example.com';
let server: TestServer;
let admin: TestUser;
afterAll(() => server.stop());
beforeAll(async () => {
  server = await startServer({ ADMIN_EMAIL: ADMIN });
  admin = await signUp(server, ADMIN);
});

const send = (method: string, path: string, body?: unknown, as = admin) =>
  fetch(server.url + path, {
    method,
    headers: {
      ...as.authorization,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const get = async <Got>(path: string, as = admin) =>
  (await (await send('GET', path, undefined, as)).json()) as Got;
const act = async (method: string, path: string, body?: unknown) => {
  const answer = await send(method, path, body);
  return [answer.status, await answer.text()] as const;
};
const logs = async (query = '') => (await get<Page<AdminLogWire>>(`/admin/logs${query}`)).data;
const DONE = [204, ''] as const;

/** A user with a bucket, and a picture in it that is delivered. */
async function owner() {
  const user = await signUp(server);
  const bucket = await makeBucket(server, user);
  const file = await upload(bucket);
  const { url } = await settledFile(server, bucket, file.id);
  return { user, bucket, url: url ?? '', fileId: file.id };
}
const tryUpload = async (bucket: { id: string; api_key: string }, token = bucket.api_key) =>
  fetch(`${server.url}/files/upload/image/${bucket.id}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form(
      { access: 'public', webp: '' },
      new Blob([new Uint8Array(await photo({ width: 64, height: 48 }))]),
      'a.jpg',
    ),
  });
const upload = async (bucket: { id: string; api_key: string }) =>
  (await (await tryUpload(bucket)).json()) as FileWire;
const mint = async (bucket: { id: string; api_key: string }, scope: string) => {
  const answer = await fetch(`${server.url}/buckets/jwt/${bucket.id}/0/${scope}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bucket.api_key}`, 'content-type': 'application/json' },
    body: '{}',
  });
  return ((await answer.json()) as { jwt: string }).jwt;
};
const status = async (url: string) => (await fetch(url)).status;

describe('banning a bucket', () => {
  test('stops its delivery, its uploads, its key and its tokens at once, and unbanning brings all back', async () => {
    const { user, bucket, url } = await owner();
    const token = await mint(bucket, 'write');
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
    // Its owner sees what is the matter, and may look and delete.
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
    const other = await makeBucket(server, user, 'Other');
    const path = `/admin/buckets/${bucket.id}`;
    expect((await act('POST', `${path}/unban`))[0]).toBe(409);
    expect(await act('POST', `${path}/ban`)).toEqual(DONE);
    expect(await act('POST', `${path}/ban`)).toEqual([409, 'The bucket is banned already.']);
    expect((await tryUpload(other)).status).toBe(201);
    const unknown = '01jjjjjjjjjjjjjjjjjjjjjjjj';
    expect((await act('POST', `/admin/buckets/${unknown}/ban`))[0]).toBe(404);
  });

  test('brings a suspended one back as suspended, and lets it be resumed meanwhile', async () => {
    const { user, bucket } = await owner();
    const { db } = server.services.database;
    const set = (status: 'running' | 'suspended') =>
      db.updateTable('buckets').set({ status }).where('id', '=', bucket.id).execute();
    const now = async () => (await get<BucketDetailWire>(`/buckets/${bucket.id}`, user)).status;
    await set('suspended');
    await act('POST', `/admin/buckets/${bucket.id}/ban`);
    expect(await now()).toBe('banned');
    await act('POST', `/admin/buckets/${bucket.id}/unban`);
    expect(await now()).toBe('suspended');
    await act('POST', `/admin/buckets/${bucket.id}/ban`);
    await set('running');
    expect(await now()).toBe('banned');
    await act('POST', `/admin/buckets/${bucket.id}/unban`);
    expect(await now()).toBe('running');
  });

  test('refuses the file of an upload that began before', async () => {
    const { bucket } = await owner();
    const { services } = server;
    await act('POST', `/admin/buckets/${bucket.id}/ban`);
    const late = services.database.transaction((tx) =>
      services.buckets.receive(tx, bucket.id, { id: 'late', bytes: 1 }),
    );
    await expect(late).rejects.toMatchObject({ code: 'banned' });
  });
});

describe('banning a user', () => {
  test('ends sessions and sockets, and stops keys, tokens and delivery of all their buckets', async () => {
    const { user, bucket, url } = await owner();
    const token = await mint(bucket, 'write');
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

    const again = browser(server.url);
    const wrong = await again.post(`/users/send/email/no/auth/${user.email}/login`, {
      password: 'not the password',
    });
    expect(wrong.status).toBe(401);
    const right = await again.post(`/users/send/email/no/auth/${user.email}/login`, {
      password: PASSWORD,
    });
    expect([right.status, await right.text()]).toEqual([403, 'This account is banned.']);

    expect(await act('POST', `/admin/users/${user.userId}/unban`)).toEqual(DONE);
    expect(await status(url)).toBe(200);
    expect((await tryUpload(bucket)).status).toBe(201);
    // What has ended stays so.
    expect((await send('GET', '/users/profile', undefined, user)).status).toBe(401);
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
      'This is not the name of the bucket.',
    ]);
    expect(await status(url)).toBe(200);
    expect(await act('DELETE', path, { name: 'Pictures' })).toEqual(DONE);
    expect(await status(url)).toBe(404);
    const { db } = server.services.database;
    const rows = () => db.selectFrom('buckets').where('id', '=', bucket.id).select('id').execute();
    await until(async () => (await rows()).length === 0);
    expect(await db.selectFrom('files').where('id', '=', fileId).select('id').execute()).toEqual(
      [],
    );
    await until(async () => {
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
    expect(entries[2]?.actor).toEqual({ kind: 'user', user: { id: user.userId, email: null } });
    const all = await server.services.database.db.selectFrom('audit_log').selectAll().execute();
    expect(JSON.stringify(all)).not.toContain(user.email);
    expect(JSON.stringify(all)).not.toContain('@');
  });
});

describe('granting credit', () => {
  const credit = async (userId: string) =>
    toMicroUsd((await get<AdminUserDetailWire>(`/admin/users/${userId}`)).credit);

  test('counts once for each id, however often it is sent, and is logged once', async () => {
    const { userId } = await signUp(server);
    const before = await credit(userId);
    const grant = { usd: 2.5, id: crypto.randomUUID() };
    const path = `/admin/users/${userId}/credit`;
    const answers = await Promise.all([1, 2, 3, 4].map(() => send('POST', path, grant)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await credit(userId)).toBe(before + 2_500_000);
    const entries = await logs(`?subject=${userId}&section=payments`);
    expect(entries.map(({ message, actor }) => [message, actor.user?.email])).toEqual([
      ['Credit of $2.50 was given to an account.', ADMIN],
    ]);
    expect((await act('POST', path, { ...grant, usd: 3 }))[0]).toBe(409);
    expect(await credit(userId)).toBe(before + 2_500_000);
  });

  const wrong: unknown[] = [0, 0.001, 1e5, -1e5, '5', null, 1e-7];
  for (const usd of wrong) {
    test(`refuses ${JSON.stringify(usd)}`, async () => {
      const { userId } = await signUp(server);
      const before = await credit(userId);
      const path = `/admin/users/${userId}/credit`;
      expect((await act('POST', path, { usd, id: crypto.randomUUID() }))[0]).toBe(422);
      expect(await credit(userId)).toBe(before);
    });
  }

  test('needs an id that is a UUID, and a user that is there', async () => {
    const { userId } = await signUp(server);
    expect((await act('POST', `/admin/users/${userId}/credit`, { usd: 1, id: 'x' }))[0]).toBe(422);
    const path = '/admin/users/01jjjjjjjjjjjjjjjjjjjjjjjj/credit';
    expect((await act('POST', path, { usd: 1, id: crypto.randomUUID() }))[0]).toBe(404);
  });
});

describe('the log', () => {
  test('says of each act who did what to what, and is searched, narrowed and paged', async () => {
    const { user, bucket } = await owner();
    await act('POST', `/admin/buckets/${bucket.id}/ban`);
    await act('POST', `/admin/buckets/${bucket.id}/unban`);
    const entries = await logs(`?subject=${bucket.id}`);
    expect(entries.map(({ action, actor }) => [action, actor.user?.email])).toEqual([
      ['bucket.unbanned', ADMIN],
      ['bucket.banned', ADMIN],
      ['bucket.created', user.email],
    ]);
    expect(entries[1]?.message).toBe('Bucket “Pictures” was banned.');
    expect(entries[1]?.details).toEqual({ owner: user.userId });

    expect((await logs('?text=PICTURES%26banned')).every((one) => one.section === 'buckets')).toBe(
      true,
    );
    expect(await logs('?text=no%26such')).toEqual([]);
    expect((await logs('?section=system')).map(({ action }) => action)).toContain('server.started');
    const today = new Date().toISOString().slice(0, 10);
    expect((await logs(`?from=${today}&to=${today}`)).length).toBeGreaterThan(3);
    expect(await logs('?to=2020-01-01')).toEqual([]);

    const seen: string[] = [];
    for (let cursor: string | null = '0'; cursor; ) {
      const page: Page<AdminLogWire> = await get(`/admin/logs?limit=7&cursor=${cursor}`);
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.nextId;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(seen.toSorted().reverse());
  });

  test('hides an entry, says so, and keeps its row', async () => {
    const { bucket } = await owner();
    const [entry] = await logs(`?subject=${bucket.id}`);
    const id = entry?.id ?? '';
    expect(await act('DELETE', `/admin/logs/${id}`)).toEqual(DONE);
    expect((await act('DELETE', `/admin/logs/${id}`))[0]).toBe(404);
    const left = await logs(`?subject=${bucket.id}`);
    expect(left.map(({ action, details }) => [action, details.entry])).toEqual([
      ['log.hidden', id],
    ]);
    const { db } = server.services.database;
    const row = await db
      .selectFrom('audit_log')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    expect(row?.action).toBe('bucket.created');
  });

  test('is exported whole, as CSV that is no formula and as JSON lines', async () => {
    const user = await signUp(server);
    const bucket = await makeBucket(server, user, '=HYPERLINK("http://x")');
    const csv = await send('GET', '/admin/logs/export?format=csv&section=buckets');
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="audit-log.csv"');
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const text = await csv.text();
    expect(text.split('\r\n')[0]).toBe(
      'id,date,section,action,message,actor,actor_id,subject,details',
    );
    expect(text).toContain(bucket.id);
    for (const line of text.split('\r\n')) expect(line).not.toMatch(/(^|,)"?[=+@]/);
    const lines = (await (await send('GET', '/admin/logs/export?format=jsonl')).text())
      .trim()
      .split('\n');
    const all = lines.map((line) => JSON.parse(line) as { id: string });
    const { db } = server.services.database;
    const { count } = await db
      .selectFrom('audit_log')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    const { hidden } = await db
      .selectFrom('audit_hidden')
      .select(({ fn }) => fn.countAll<number>().as('hidden'))
      .executeTakeFirstOrThrow();
    expect(all).toHaveLength(count - hidden);
    expect(lines.join()).not.toContain('@example.com');
    expect((await act('GET', '/admin/logs/export?format=xml'))[0]).toBe(422);
  });

  test('tells of an account whose tries were used up, once, and of no address', async () => {
    const user = await signUp(server);
    const stranger = browser(server.url);
    for (let n = 0; n < 18; n += 1) {
      await stranger.post(`/users/send/email/no/auth/${user.email}/login`, {
        password: 'wrong one',
      });
    }
    const entries = await logs(`?subject=${user.userId}`);
    expect(entries.map(({ action }) => action)).toEqual(['user.locked', 'user.signed-up']);
  });

  test('tells of rolled keys and deleted files, and holds neither key nor token', async () => {
    const { user, bucket, fileId } = await owner();
    const rolled = await send('PUT', `/buckets/roll/api-key/${bucket.id}`, undefined, user);
    const { api_key } = (await rolled.json()) as { api_key: string };
    await fetch(`${server.url}/files/${bucket.id}/${fileId}`, {
      method: 'DELETE',
      headers: { 'x-api-key': api_key },
    });
    const [deleted] = await logs(`?subject=${fileId}`);
    expect(deleted).toMatchObject({
      action: 'file.deleted',
      section: 'files',
      actor: { kind: 'key', user: null },
    });
    expect((await logs(`?subject=${bucket.id}`))[0]?.action).toBe('bucket.key-rolled');
    const all = JSON.stringify(
      await server.services.database.db.selectFrom('audit_log').selectAll().execute(),
    );
    for (const secret of [api_key, bucket.api_key, user.token, PASSWORD]) {
      expect(all).not.toContain(secret);
    }
  });
});

test('the log tells of renamed buckets, of webhooks and their secrets, and of sessions that end', async () => {
  const user = await signUp(server);
  const bucket = await makeBucket(server, user);
  const rename = (name: string, webhook: string) =>
    send('PUT', `/buckets/name/webhook/${bucket.id}`, { name, webhook }, user);
  await rename('Pictures', '');
  await rename('Photographs', '');
  const rolled = await send('PUT', `/buckets/roll/webhook-secret/${bucket.id}`, undefined, user);
  const { secret } = (await rolled.json()) as { secret: string };
  expect((await logs(`?subject=${bucket.id}`)).map(({ action }) => action)).toEqual([
    'bucket.webhook-secret-rolled',
    'bucket.changed',
    'bucket.created',
  ]);
  for (let again = 0; again < 2; again += 1) {
    expect((await send('POST', '/users/logout', undefined, user)).status).toBe(204);
  }
  const [left] = await logs(`?subject=${user.userId}`);
  expect([left?.action, left?.actor.user?.id]).toEqual(['user.logged-out', user.userId]);
  expect(await logs(`?subject=${user.userId}`)).toHaveLength(2);
  const all = await server.services.database.db.selectFrom('audit_log').selectAll().execute();
  expect(JSON.stringify(all)).not.toContain(secret);
});

describe('jobs that have failed', () => {
  /** As the queue leaves a job that it has given up. */
  const failedJob = async (kind: string, subject: string) => {
    const { database, queue } = server.services;
    await database.transaction((tx) =>
      queue.add(tx, { kind, subject, payload: {}, runAt: Date.now() + 3_600_000 }),
    );
    const job = await database.db
      .updateTable('jobs')
      .set({ state: 'failed', attempts: 5, error: 'no room', finished_at: Date.now() })
      .where('kind', '=', kind)
      .where('subject', '=', subject)
      .returning('id')
      .executeTakeFirstOrThrow();
    return job.id;
  };

  test('are shown with their reason, and done again where nothing came of giving them up', async () => {
    const { bucket } = await owner();
    const [deletion, image] = [
      await failedJob('delete-bucket', bucket.id),
      await failedJob('image', 'some-file'),
    ];
    const { failed, jobs, disk } = await get<AdminJobsWire>('/admin/jobs');
    expect(failed).toBe(2);
    expect(disk.free).toBeGreaterThan(0);
    expect(disk.total).toBeGreaterThan(disk.free);
    const shown = new Map(jobs.map((job) => [job.id, job]));
    expect(shown.get(deletion)).toMatchObject({
      state: 'failed',
      error: 'no room',
      retryable: true,
    });
    expect(shown.get(image)?.retryable).toBe(false);

    expect(await act('POST', `/admin/jobs/${deletion}/retry`)).toEqual(DONE);
    await until(async () => (await send('GET', `/admin/buckets/${bucket.id}`)).status === 404);
    for (const id of [deletion, image]) {
      expect((await act('POST', `/admin/jobs/${id}/retry`))[0]).toBe(409);
    }
    expect((await logs(`?subject=${deletion}`)).map(({ action }) => action)).toEqual([
      'job.retried',
    ]);
  });
});

describe('the lists', () => {
  test('of users have who waits for their code, and are narrowed', async () => {
    const waiting = `waits-${crypto.randomUUID()}@example.com`;
    await browser(server.url).post('/users/signup', { email: waiting, password: PASSWORD });
    // A signup with an address that is taken is nobody's.
    await browser(server.url).post('/users/signup', { email: ADMIN, password: PASSWORD });
    const user = await signUp(server, `Ada.${crypto.randomUUID()}@example.com`);
    await act('POST', `/admin/users/${user.userId}/ban`);
    const users = async (query: string) =>
      (await get<Page<AdminUserWire>>(`/admin/users?${query}`)).data;
    const emails = async (query: string) => (await users(query)).map(({ email }) => email);

    expect((await users('verified=false'))[0]).toMatchObject({
      email: waiting,
      active: false,
      verified: false,
      status: 'pending',
    });
    expect(await emails('verified=false&active=true')).toEqual([]);
    expect(await emails('active=false')).toEqual(expect.arrayContaining([waiting, user.email]));
    expect(await emails('active=true')).not.toContain(user.email);
    expect(await emails('verified=true')).not.toContain(waiting);
    expect((await emails('')).filter((email) => email === ADMIN)).toHaveLength(1);
    expect(await emails(`email=${user.email.slice(5, 20)}%26ADA`)).toEqual([user.email]);
    expect(await emails('email=100%25')).toEqual([]);
    expect(await emails('from=2020-01-01&to=2020-01-02')).toEqual([]);
    const seen: string[] = [];
    for (let cursor: string | null = '0'; cursor; ) {
      const page: Page<AdminUserWire> = await get(`/admin/users?limit=3&cursor=${cursor}`);
      expect(page.data.length).toBeLessThanOrEqual(3);
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.nextId;
    }
    expect(seen).toEqual([...new Set(seen)].sort().reverse());
    expect(seen.length).toBeGreaterThan(5);
  });

  test('of buckets have those of everybody, found by words and days, and no key', async () => {
    const [one, other] = [await signUp(server), await signUp(server)];
    const word = crypto.randomUUID().slice(0, 8);
    await makeBucket(server, one, `Harbour ${word}`);
    await makeBucket(server, other, `${word} lighthouse`);
    const buckets = async (query: string) =>
      (await get<Page<AdminBucketWire>>(`/admin/buckets?${query}`)).data;
    expect((await buckets(`name=${word}`)).map(({ name }) => name)).toEqual([
      `${word} lighthouse`,
      `Harbour ${word}`,
    ]);
    expect(await buckets(`name=${word}%26HARBOUR`)).toHaveLength(1);
    expect(await buckets(`name=${word}&to=2020-01-01`)).toEqual([]);
    expect(Object.keys((await buckets('limit=1'))[0] ?? {}).sort()).toEqual([
      'bandwidth',
      'date',
      'id',
      'name',
      'region',
      'status',
      'total_uploads',
      'usage',
    ]);
    expect(JSON.stringify(await buckets(''))).not.toContain('whf_');
    const page = await admin.client.fetch('/admin/buckets', { headers: { accept: 'text/html' } });
    expect(await page.text()).not.toContain('whf_');
  });
});
