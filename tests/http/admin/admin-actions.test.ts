import { afterAll, describe, expect, test } from 'bun:test';
import { toMicroUsd } from '../../../server/contract/money.ts';
import type {
  AdminBucketWire,
  AdminJobsWire,
  AdminUserDetailWire,
  AdminUserWire,
  Page,
} from '../../../server/contract/wire.ts';
import { createBucket, PASSWORD, signUp } from '../../support/client/api.ts';
import { browser } from '../../support/client/browser.ts';
import { until } from '../../support/client/wait.ts';
import { ADMIN, withAdmin } from '../../support/fixtures/admin-fixture.ts';
import { startServerInProcess } from '../../support/server/in-process-server.ts';

const { server, admin, send, get, act, logs, owner } = await withAdmin(
  await startServerInProcess({ ADMIN_EMAIL: ADMIN }),
);
afterAll(() => server.stop());
const DONE = [204, ''] as const;

describe('granting credit', () => {
  const credit = async (userId: string) =>
    toMicroUsd((await get<AdminUserDetailWire>(`/admin/users/${userId}`)).credit);

  test('counts once for each id, however often it is sent, and is logged once', async () => {
    const { userId } = await signUp(server);
    const before = await credit(userId);
    const grant = { usd: 2.5, id: crypto.randomUUID() };
    const path = `/admin/users/${userId}/credit`;
    const responses = await Promise.all([1, 2, 3, 4].map(() => send('POST', path, grant)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await credit(userId)).toBe(before + 2_500_000);
    const entries = await logs(`?subject=${userId}&section=payments`);
    expect(entries.map(({ message, actor }) => [message, actor.user?.email])).toEqual([
      ['Credit of $2.50 granted to an account.', ADMIN],
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

describe('jobs that have failed', () => {
  /** Inserts a job as the queue leaves it after giving it up. */
  const failedJob = async (kind: string, subject: string) => {
    const { database, queue } = server.services;
    await database.transaction((tx) =>
      queue.add(tx, { kind, subject, payload: {}, runAt: Date.now() + 3_600_000 }),
    );
    const job = await database.db
      .updateTable('jobs')
      .set({
        ...{ state: 'failed', attempts: 5, error: 'no room', finished_at: Date.now() },
        // Nothing can undo what giving this one up has changed.
        ...(kind === 'image' && { payload: '' }),
      })
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
    const { failed, jobs, disk, deletions } = await get<AdminJobsWire>('/admin/jobs');
    expect(deletions).toEqual({ failing: 0, examples: [] });
    expect(failed).toBe(2);
    expect(disk.free).toBeGreaterThan(0);
    expect(disk.total).toBeGreaterThan(disk.free);
    const jobsById = new Map(jobs.map((job) => [job.id, job]));
    expect(jobsById.get(deletion)).toMatchObject({
      state: 'failed',
      error: 'no room',
      retryable: true,
    });
    expect(jobsById.get(image)?.retryable).toBe(false);

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

test('deletions of stored files that fail are shown with their reason', async () => {
  await server.db
    .insertInto('pending_deletes')
    .values({ prefix: 'f/stuck/', not_before: 9e12, started_at: 1, failures: 3, error: 'no way' })
    .execute();
  expect((await get<AdminJobsWire>('/admin/jobs')).deletions).toEqual({
    failing: 1,
    examples: [
      { prefix: 'f/stuck/', error: 'no way', attempts: 3, retry: new Date(9e12).toISOString() },
    ],
  });
});

describe('the lists', () => {
  test('of users have who waits for their code, and are narrowed', async () => {
    const waiting = `waits-${crypto.randomUUID()}@example.com`;
    await browser(server.url).post('/users/signup', { email: waiting, password: PASSWORD });
    // A signup with an address that already has an account belongs to no user, so it is not listed.
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
    const ids: string[] = [];
    for (let cursor: string | null = '0'; cursor; ) {
      const page: Page<AdminUserWire> = await get(`/admin/users?limit=3&cursor=${cursor}`);
      expect(page.data.length).toBeLessThanOrEqual(3);
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.nextId;
    }
    expect(ids).toEqual([...new Set(ids)].sort().reverse());
    expect(ids.length).toBeGreaterThan(5);
  });

  test('of buckets have those of everybody, found by words and days, and no key', async () => {
    const [one, other] = [await signUp(server), await signUp(server)];
    const query = crypto.randomUUID().slice(0, 8);
    await createBucket(server, one.token, `Harbour ${query}`);
    await createBucket(server, other.token, `${query} lighthouse`);
    const buckets = async (query: string) =>
      (await get<Page<AdminBucketWire>>(`/admin/buckets?${query}`)).data;
    expect((await buckets(`name=${query}`)).map(({ name }) => name)).toEqual([
      `${query} lighthouse`,
      `Harbour ${query}`,
    ]);
    expect(await buckets(`name=${query}%26HARBOUR`)).toHaveLength(1);
    expect(await buckets(`name=${query}&to=2020-01-01`)).toEqual([]);
    expect(Object.keys((await buckets('limit=1'))[0] ?? {}).sort()).toEqual([
      'bandwidth',
      'date',
      'id',
      'name',
      'owner',
      'region',
      'spend',
      'status',
      'total_uploads',
      'usage',
    ]);
    expect(await buckets(`owner=${one.userId}`)).toMatchObject([
      { name: `Harbour ${query}`, owner: { id: one.userId, email: one.email } },
    ]);
    expect(await buckets(`owner=${one.userId}&sort=usage&name=lighthouse`)).toEqual([]);
    expect(JSON.stringify(await buckets(''))).not.toContain('whf_');
    const page = await admin.client.fetch('/admin/buckets', { headers: { accept: 'text/html' } });
    expect(await page.text()).not.toContain('whf_');
  });
});
