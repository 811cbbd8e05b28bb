import { beforeAll, expect, test } from 'bun:test';
import { createBucket, signUp, type TestUser } from '../../support/client/api.ts';
import { sharedServer } from '../../support/server/server.ts';

const ADMIN = 'Admin@example.com';
const PAGES_OF_DAYS = ['/admin/overview', '/admin/buckets', '/admin/users', '/admin/logs'];
const PAGES = [...PAGES_OF_DAYS, '/admin/operations'];

const server = await sharedServer({ ADMIN_EMAIL: ADMIN.toLowerCase() });
const users: Record<string, TestUser | null> = { visitor: null };
let ids: Record<string, string>;

beforeAll(async () => {
  const admin = await signUp(server, ADMIN);
  const [user, banned, victim] = [await signUp(server), await signUp(server), await signUp(server)];
  await admin.client.post(`/admin/users/${banned.userId}/ban`, undefined, admin.authorization);
  Object.assign(users, { user, banned, admin });
  const bucket = await createBucket(server, victim.token);
  const { data } = (await (
    await fetch(`${server.url}/admin/logs`, { headers: admin.authorization })
  ).json()) as { data: { id: string }[] };
  ids = { BUCKET: bucket.id, USER: victim.userId, LOG: data.at(-1)?.id ?? '' };
});

/** Every call of the admin, with a valid body. */
const CALLS: [string, object?][] = [
  ...PAGES.map((path): [string] => [`GET ${path}`]),
  ['GET /admin/buckets?sort=usage&owner=USER'],
  ['GET /admin/users?sort=balance&order=desc'],
  ['GET /admin/jobs'],
  ['GET /admin/payments/owed'],
  ['GET /admin/logs/export?format=csv'],
  ['GET /admin/buckets/BUCKET'],
  ['GET /admin/users/USER'],
  ['POST /admin/jobs/01jjjjjjjjjjjjjjjjjjjjjjjj/retry'],
  ['POST /admin/buckets/BUCKET/ban'],
  ['POST /admin/buckets/BUCKET/unban'],
  ['POST /admin/users/USER/ban'],
  ['POST /admin/users/USER/unban'],
  ['GET /admin/users/USER/payments'],
  ['GET /admin/users/USER/ledger'],
  [
    'POST /admin/payments/01jjjjjjjjjjjjjjjjjjjjjjjj/refund',
    { usd: 1, reason: 'r', by: 'other', id: crypto.randomUUID() },
  ],
  ['POST /admin/users/USER/credit', { usd: 1, id: crypto.randomUUID() }],
  ['DELETE /admin/logs/LOG'],
  ['DELETE /admin/buckets/BUCKET', { name: 'Pictures' }],
  ['DELETE /admin/users/USER', { email: 'nobody@example.com' }],
];
const ALLOWED: Record<string, number> = {
  'POST /admin/jobs/01jjjjjjjjjjjjjjjjjjjjjjjj/retry': 409,
  'POST /admin/payments/01jjjjjjjjjjjjjjjjjjjjjjjj/refund': 404,
  'DELETE /admin/users/USER': 409,
};
const okOf = (call: string) =>
  ALLOWED[call] ?? (call.startsWith('GET') || call.endsWith('credit') ? 200 : 204);

const send = (call: string, body: object | undefined, who: string) => {
  const [method = '', path = ''] = call.split(' ');
  const user = users[who];
  return fetch(server.url + path.replace(/BUCKET|USER|LOG/, (name) => ids[name] ?? ''), {
    method,
    redirect: 'manual',
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...user?.authorization,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
};

for (const [call, body] of CALLS) {
  test(`${call} is for the admin's session alone`, async () => {
    const statuses: Record<string, number> = {};
    for (const who of ['visitor', 'user', 'banned', 'admin']) {
      const response = await send(call, body, who);
      statuses[who] = response.status;
      if (who !== 'admin') expect((await response.text()).length).toBeLessThan(60);
    }
    expect(statuses).toEqual({ visitor: 401, user: 403, banned: 401, admin: okOf(call) });
  });

  test(`${call} looks at nothing that a stranger sends`, async () => {
    const [method = '', path = ''] = call.split(' ');
    const response = await fetch(`${server.url}${path}${path.includes('?') ? '&' : '?'}limit=0`, {
      method,
      ...(method !== 'GET' && {
        headers: { 'content-type': 'application/json' },
        body: '{ nonsense',
      }),
    });
    expect(response.status).toBe(401);
  });
}

const visit = (path: string, who: string) =>
  fetch(server.url + path, {
    redirect: 'manual',
    headers: { accept: 'text/html', cookie: users[who]?.client.cookies() ?? '' },
  });

const DESTINATIONS: Record<string, string> = {
  visitor: '/login',
  banned: '/login',
  user: '/dashboard',
};
for (const path of ['/admin', ...PAGES, '/admin/nothing']) {
  for (const [who, destination] of Object.entries(DESTINATIONS)) {
    test(`the page ${path} sends a ${who} to ${destination}`, async () => {
      const response = await visit(path, who);
      expect([response.status, response.headers.get('location')]).toEqual([302, destination]);
      expect(response.headers.get('cache-control')).toContain('no-store');
      expect(await response.text()).toBe('');
    });
  }
}

for (const path of PAGES) {
  test(`${path} is a page for a browser and JSON for a program, told apart by Accept`, async () => {
    const page = await visit(path, 'admin');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toStartWith('text/html');
    expect(page.headers.get('vary')).toBe('*');
    expect(page.headers.get('cache-control')).toBe('private, no-cache');
    expect(await page.text()).toContain('data-island="admin-');

    const call = await send(`GET ${path}`, undefined, 'admin');
    expect(call.headers.get('content-type')).toStartWith('application/json');
    expect(call.headers.get('vary')).toBe('Accept, Accept-Encoding');
    expect(call.headers.get('cache-control')).toBe('private, no-store');
  });

  test(`${path} gives no JSON for the page's cookie, and no page for nonsense in its query`, async () => {
    const cookie = users.admin?.client.cookies() ?? '';
    const call = await fetch(server.url + path, { headers: { cookie } });
    expect(call.status).toBe(401);
    const page = await visit(`${path}?from=never&limit=0&active=maybe&section=x&unit=y`, 'admin');
    expect(page.status).toBe(200);
    if (!PAGES_OF_DAYS.includes(path)) return;
    const wrong = await send(`GET ${path}?from=never`, undefined, 'admin');
    expect([wrong.status, await wrong.text()]).toEqual([
      422,
      'from must be a day like 2025-12-31.',
    ]);
  });
}

test('bare /admin leads the admin to the overview, and what is not there is not found', async () => {
  expect((await visit('/admin', 'admin')).headers.get('location')).toBe('/admin/overview');
  expect((await visit('/admin/nothing', 'admin')).status).toBe(404);
});

const NONE = ['%00', '%F0%9F%8F%BA', 'x'.repeat(5000), "'%20or%201=1", '..%2F..'];
const WITH_ID: [string, object?][] = [
  ['GET /admin/buckets/'],
  ['POST /admin/buckets//ban'],
  ['POST /admin/buckets//unban'],
  ['DELETE /admin/buckets/', { name: '\u0000' }],
  ['GET /admin/users/'],
  ['POST /admin/users//ban'],
  ['POST /admin/users//unban'],
  ['POST /admin/users//credit', { usd: 1, id: crypto.randomUUID() }],
  ['DELETE /admin/users/', { email: '\u0000' }],
  ['DELETE /admin/logs/'],
  ['POST /admin/jobs//retry'],
];
for (const [call, body] of WITH_ID) {
  test(`${call} finds nothing under what is no id`, async () => {
    for (const id of NONE) {
      const at = call.replace(/(admin\/\w+\/)/, `$1${id}`);
      const response = await send(at, body, 'admin');
      expect([id, response.status]).toEqual([id, 404]);
    }
  });
}
