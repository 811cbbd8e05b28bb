import { describe, expect, test } from 'bun:test';
import { createBucket, PASSWORD, signUp } from '../../support/client/api.ts';
import { browser } from '../../support/client/browser.ts';
import { readCode } from '../../support/client/outbox.ts';
import { until } from '../../support/client/wait.ts';
import { sharedServer } from '../../support/server/server.ts';

const server = await sharedServer({ ADMIN_EMAIL: 'admin@example.com' });
const user = await signUp(server);

const call = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
  fetch(`${server.url}${path}`, { method, headers, body, redirect: 'manual' });
const json = { 'content-type': 'application/json' };

describe('accounts over HTTP', () => {
  test('signing up, out and in again works with one browser', async () => {
    const email = 'in-and-out@example.com';
    const me = await signUp(server, email);
    expect(me.exp).toBeGreaterThan(Date.now() / 1000);
    expect((await call('GET', '/buckets', me.authorization)).status).toBe(200);
    expect((await me.client.post('/users/logout', {}, me.authorization)).status).toBe(204);
    expect((await call('GET', '/buckets', me.authorization)).status).toBe(401);
    const path = `/users/send/email/no/auth/${encodeURIComponent(email)}/login`;
    const send = async (password: string) => {
      const requestedAt = Date.now();
      expect((await me.client.post(path, { password })).status).toBe(204);
      return readCode(server.outbox, email, requestedAt);
    };
    const first = await send(PASSWORD);
    const second = await send('nil');
    const login = (code: number) =>
      me.client.post('/users/login', { email, password: PASSWORD, email_token: code });
    if (first !== second) expect((await login(first)).status).toBe(422);
    expect((await login(second)).status).toBe(200);
  });

  test('the page cookie is not readable by scripts and authorises no call', async () => {
    const email = 'cookie@example.com';
    const client = browser(server.url);
    await client.post('/users/signup', { email, password: PASSWORD });
    const response = await client.post('/users/verify', {
      email,
      email_token: await readCode(server.outbox, email),
    });
    const cookie = response.headers.getSetCookie().find((line) => line.startsWith('wharf_session'));
    expect(cookie).toMatch(/HttpOnly/i);
    expect(cookie).toMatch(/SameSite=Lax/i);
    expect((await client.fetch('/buckets')).status).toBe(401);
    expect((await client.post('/buckets', { name: 'x' })).status).toBe(401);
  });

  const bad: [string, unknown, number, RegExp][] = [
    ['/users/signup', {}, 422, /email/],
    ['/users/signup', { email: 'a@example.com' }, 422, /password/i],
    ['/users/signup', { email: 'a@example.com', password: 'short' }, 422, /8 to 200/],
    ['/users/signup', { email: 'a@example.com', password: 12345678 }, 422, /password/i],
    ['/users/signup', { email: 'a@example.com', password: 'x'.repeat(201) }, 422, /8 to 200/],
    ['/users/signup', { email: 'not an address', password: PASSWORD }, 400, /email address/],
    ['/users/signup', [], 422, /./],
    ['/users/verify', { email: 'a@example.com', email_token: '12345x' }, 422, /6-digit/],
    ['/users/verify', { email: 'a@example.com', email_token: 1_000_000 }, 422, /6-digit/],
    ['/users/verify', { email: 'a@example.com', email_token: 123456.5 }, 422, /6-digit/],
    [
      '/users/verify',
      { email: 'a@example.com', email_token: 123456 },
      422,
      /incorrect or has expired/,
    ],
    [
      '/users/login',
      { email: 'a@example.com', password: PASSWORD, email_token: 123456 },
      401,
      /Incorrect email or password/,
    ],
    ['/users/login', { email: 'a@example.com', email_token: 123456 }, 422, /password/i],
    [
      '/users/send/email/no/auth/a@example.com/login',
      { password: PASSWORD },
      401,
      /Incorrect email or password/,
    ],
    ['/users/send/email/no/auth/a@example.com/admin', { password: PASSWORD }, 422, /purpose/],
    ['/users/send/email/no/auth/a@example.com/login', {}, 422, /password/i],
  ];
  for (const [path, body, status, text] of bad) {
    test(`POST ${path} with ${JSON.stringify(body).slice(0, 70)} is refused with ${status}`, async () => {
      const response = await call('POST', path, json, JSON.stringify(body));
      const message = await response.text();
      expect([response.status, message]).toEqual([status, expect.stringMatching(text)]);
      expect(message).not.toContain(PASSWORD);
      expect(message).not.toContain('{');
    });
  }

  test('a body that is no JSON, or is too large, also without a length, is refused', async () => {
    expect((await call('POST', '/users/signup', json, '{"email":')).status).toBe(400);
    expect(
      (await call('POST', '/users/signup', json, JSON.stringify({ email: 'x'.repeat(2_000_000) })))
        .status,
    ).toBe(413);
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1000)),
    });
    const response = await fetch(`${server.url}/users/signup`, {
      method: 'POST',
      headers: json,
      body: endless,
    });
    expect(response.status).toBe(413);
  });
});

describe('buckets over HTTP', () => {
  test('have the region that was asked for, and none when none was', async () => {
    const region = async (body: object) => {
      const response = await user.client.post(
        '/buckets',
        { name: 'a', ...body },
        user.authorization,
      );
      return ((await response.json()) as { region: string | null }).region;
    };
    expect(await region({})).toBeNull();
    expect(await region({ region: null })).toBeNull();
    expect(await region({ region: 'OC' })).toBe('OC');
  });

  test('are made, listed newest first by key, found by words and days, and opened with their key', async () => {
    const me = await signUp(server);
    for (const name of ['Winter Photos', 'Summer photos', '100%_sure', 'ÜBER uns']) {
      expect(
        (await me.client.post('/buckets', { name, region: 'WEUR' }, me.authorization)).status,
      ).toBe(201);
      await Bun.sleep(2);
    }
    const list = async (query: string) => {
      const response = await call('GET', `/buckets?${query}`, me.authorization);
      const { data, nextId } = (await response.json()) as {
        data: { name: string }[];
        nextId: string | null;
      };
      return { names: data.map((one) => one.name), nextId };
    };
    expect((await list('cursor=0&limit=50&name=&from=&to=')).names).toEqual([
      'ÜBER uns',
      '100%_sure',
      'Summer photos',
      'Winter Photos',
    ]);
    expect((await list('name=photos%26WINTER')).names).toEqual(['Winter Photos']);
    expect((await list(`name=${encodeURIComponent('über')}`)).names).toEqual(['ÜBER uns']);
    expect((await list(`name=${encodeURIComponent('%_')}`)).names).toEqual(['100%_sure']);
    expect((await list('name=p_otos')).names).toEqual([]);
    const first = await list('limit=3');
    const second = await list(`limit=3&cursor=${first.nextId}`);
    expect([first.names.length, second.names, second.nextId]).toEqual([3, ['Winter Photos'], null]);
    const today = new Date().toISOString().slice(0, 10);
    expect((await list(`from=${today}&to=${today}`)).names).toHaveLength(4);
    expect((await list('to=2020-01-01')).names).toEqual([]);
  });

  test('show their key to their owner alone, and never in a list', async () => {
    const bucket = await createBucket(server, user.token);
    expect(bucket.api_key).toMatch(/^whf_/);
    const list = await (await call('GET', '/buckets', user.authorization)).text();
    expect(list).not.toContain('whf_');
    const stranger = await signUp(server);
    expect((await call('GET', `/buckets/${bucket.id}`, stranger.authorization)).status).toBe(404);
    expect((await call('GET', `/files/${bucket.id}`, stranger.authorization)).status).toBe(404);
    expect(
      (await call('GET', `/buckets/${bucket.id}`, { 'x-api-key': bucket.api_key })).status,
    ).toBe(401);
    const rows = JSON.stringify(await server.db.selectFrom('buckets').selectAll().execute());
    expect(rows).not.toContain('whf_');
  });

  const bad: [string, string, string | undefined, number][] = [
    ['POST', '/buckets', '{}', 422],
    ['POST', '/buckets', '{"name":""}', 422],
    ['POST', '/buckets', '{"name":"   "}', 422],
    ['POST', '/buckets', '{"name":"a\\nb"}', 422],
    ['POST', '/buckets', `{"name":"${'x'.repeat(101)}"}`, 422],
    ['POST', '/buckets', '{"name":1}', 422],
    ['POST', '/buckets', '{"name":"a","region":"MARS"}', 422],
    ['GET', '/buckets?limit=51', undefined, 422],
    ['GET', '/buckets?limit=0', undefined, 422],
    ['GET', '/buckets?limit=x', undefined, 422],
    ['GET', "/buckets?cursor=1'--", undefined, 422],
    ['GET', '/buckets?from=2025-13-01', undefined, 422],
    ['GET', '/buckets?from=2025-02-30', undefined, 422],
    ['GET', '/buckets?from=2025-02-28T00:00:00Z', undefined, 422],
    ['GET', '/buckets?to=01/02/2025', undefined, 422],
    ['GET', '/buckets?name=%00', undefined, 422],
    ['GET', `/buckets?name=${'x'.repeat(101)}`, undefined, 422],
    ['GET', '/buckets/nowhere', undefined, 404],
    ['GET', '/files/nowhere', undefined, 404],
  ];
  for (const [method, path, body, status] of bad) {
    test(`${method} ${path} ${body?.slice(0, 40) ?? ''} is refused with ${status}`, async () => {
      const response = await call(method, path, { ...user.authorization, ...json }, body);
      expect([response.status, response.headers.get('x-error-code')]).toEqual([
        status,
        expect.stringMatching(/./),
      ]);
    });
    test(`${method} ${path} ${body?.slice(0, 40) ?? ''} tells a stranger nothing but to log in`, async () => {
      const response = await call(method, path, json, body);
      expect(response.status).toBe(401);
    });
  }

  test('file filters accept their listed values only', async () => {
    const bucket = await createBucket(server, user.token);
    const status = async (query: string) =>
      (await call('GET', `/files/${bucket.id}?${query}`, user.authorization)).status;
    expect(await status('access=&file_type=&from=&to=')).toBe(200);
    expect(await status('access=private&file_type=video')).toBe(200);
    expect(await status('access=secret')).toBe(422);
    expect(await status('file_type=font')).toBe(422);
  });
});

describe('tokens over HTTP', () => {
  test('are minted for the owner and the key, with an expiry that lies ahead', async () => {
    const bucket = await createBucket(server, user.token);
    const mint = (path: string, headers: Record<string, string>, body = '{}') =>
      call('POST', `/buckets/jwt/${bucket.id}/${path}`, { ...json, ...headers }, body).then(
        (response) => response.status,
      );
    expect(await mint('0/read', user.authorization)).toBe(200);
    expect(await mint('0/write', { 'x-api-key': bucket.api_key })).toBe(200);
    expect(await mint(`${Math.floor(Date.now() / 1000) + 60}/read`, user.authorization)).toBe(200);
    expect(await mint('1/read', user.authorization)).toBe(422);
    expect(await mint('-5/read', user.authorization)).toBe(422);
    expect(await mint('soon/read', user.authorization)).toBe(422);
    expect(await mint('0/admin', user.authorization)).toBe(422);
    expect(await mint('0/read', user.authorization, '{"file_id":"../x"}')).toBe(422);
    // Each of these may have been meant for one file, and must not get a token for all of them.
    for (const body of ['[]', '"x"', 'true', '{"file_id":', '{"fileID":"x"}', '{"file_id":null}']) {
      expect([body, await mint('0/read', user.authorization, body)]).toEqual([
        body,
        body === '{"file_id":null}' ? 422 : 400,
      ]);
    }
    const asForm = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await mint('0/read', { ...user.authorization, ...asForm }, '{"file_id":"x"}')).toBe(422);
    expect(await mint('0/read', (await signUp(server)).authorization)).toBe(404);
    expect(await mint('0/read', {})).toBe(401);
  });
});

test('the admin area sends visitors to the login and others to the dashboard', async () => {
  const admin = await signUp(server, 'ADMIN@example.com');
  const visit = async (path: string, cookie: string) => {
    const response = await call('GET', path, { accept: 'text/html', cookie });
    return [response.status, response.headers.get('location')];
  };
  for (const path of ['/admin', '/admin/overview', '/admin/users', '/admin/x/y']) {
    expect(await visit(path, '')).toEqual([302, '/login']);
    expect(await visit(path, user.client.cookies())).toEqual([302, '/dashboard']);
  }
  expect(await visit('/admin/users', admin.client.cookies())).toEqual([200, null]);
});

describe('every request', () => {
  test('gets an id, and a path that nobody answers gets 404, as text or as a page', async () => {
    const text = await call('GET', '/nowhere', { accept: 'application/json' });
    expect([text.status, text.headers.get('content-type')]).toEqual([
      404,
      'text/plain; charset=utf-8',
    ]);
    const page = await call('GET', '/nowhere', { accept: 'text/html' });
    expect(page.status).toBe(404);
    expect(await page.text()).toContain("Something's missing.".replace("'", '&#x27;'));
    expect((await call('GET', '/health')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('with the Host of someone else gets no link to there', async () => {
    const host = { host: 'evil.example' };
    const page = await (await call('GET', '/login', { ...host, accept: 'text/html' })).text();
    expect(page).not.toContain('evil.example');
    const redirect = await call('GET', '/dashboard', { ...host, accept: 'text/html' });
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, '/login']);
  });

  test('of /health tells version and checks', async () => {
    const health = async () => (await call('GET', '/health')).json();
    await until(async () => (await health()).confinement !== null);
    expect(await health()).toEqual({
      status: 'ok',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      role: 'all',
      checks: { database: 'ok', storage: 'ok', ffmpeg: 'ok' },
      mail: 'ok',
      usage: 'ok',
      confinement: {
        images: expect.objectContaining({ limits: expect.any(Boolean) }),
        videos: expect.objectContaining({ noNetwork: expect.any(Boolean) }),
      },
    });
  });
});
