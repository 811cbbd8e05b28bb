import { describe, expect, test } from 'bun:test';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { form, PASSWORD, signUp } from '../../support/client/api.ts';
import { browser } from '../../support/client/browser.ts';
import { readCode } from '../../support/client/outbox.ts';
import { until } from '../../support/client/wait.ts';
import { sharedServer, startServer } from '../../support/server/server.ts';

const ADMIN = 'admin@example.com';
const STOLEN = 'the password of a stranger';
const server = await sharedServer({ ADMIN_EMAIL: ADMIN, TRUST_PROXY: '1' });

/** Each browser gets its own network. */
let networks = 0;
function somebody() {
  networks += 1;
  const network = { 'x-forwarded-for': `198.51.100.${networks}` };
  const client = browser(server.url);
  return {
    ...client,
    post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      client.post(path, body, { ...network, ...headers }),
  };
}
const recoveryOf = (email: string) => `/users/send/email/no/auth/${email}/recovery`;
const loginOf = (email: string) => `/users/send/email/no/auth/${email}/login`;

const mailsTo = async (email: string) => {
  const names = (await readdir(server.outbox)).filter((name) => name.endsWith('.eml'));
  const mails = await Promise.all(
    names.sort().map((name) => readFile(join(server.outbox, name), 'utf8')),
  );
  return mails.filter((mail) => mail.toLowerCase().includes(`to: ${email.toLowerCase()}`));
};

test('the database has no more of a password than its hash, at the full cost', async () => {
  const unchanged = await startServer({ BUN_OPTIONS: '' });
  const { userId } = await signUp(unchanged);
  const { password_hash } = await unchanged.db
    .selectFrom('users')
    .select('password_hash')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  await unchanged.stop();
  expect(password_hash).toStartWith('$argon2id$v=19$m=19456,t=2,');
});

test('an account moves neither to the admin’s address nor to one that another account has', async () => {
  const [user, other] = [await signUp(server), await signUp(server)];
  for (const email of [ADMIN.toUpperCase(), other.email]) {
    const response = await user.client.fetch('/users/email', {
      method: 'POST',
      headers: user.authorization,
      body: form({ subject: 'change-email', email }),
    });
    expect([response.status, await response.text()]).toEqual([204, '']);
    const mail = await until(async () =>
      (await mailsTo(email)).find((one) => one.includes('You already have')),
    );
    expect(mail).not.toMatch(/^Subject: \d/m);
  }
});

describe.each([
  ['the admin’s', ADMIN],
  ['somebody’s', 'ada@example.com'],
])('%s address in the hands of a stranger', (_, email) => {
  test('makes no account of the stranger’s before its owner comes, and keeps nothing from the owner', async () => {
    const stranger = somebody();
    const owner = somebody();
    await stranger.post('/users/signup', { email, password: STOLEN });
    const theirs = await readCode(server.outbox, email);
    // The owner sees that mail and types its code, before they have requested one themselves or instead of
    // their own.
    const typed = { email, email_token: theirs };
    expect((await owner.post('/users/verify', typed)).status).toBe(422);
    const requestedAt = Date.now();
    await owner.post('/users/signup', { email, password: PASSWORD });
    const own = await readCode(server.outbox, email, requestedAt);
    if (own !== theirs) expect((await owner.post('/users/verify', typed)).status).toBe(422);
    const verified = await owner.post('/users/verify', { email, email_token: own });
    expect(verified.status).toBe(200);
    expect((await stranger.post('/users/verify', typed)).status).toBe(422);
    const withStolen = await stranger.post(loginOf(email), { password: STOLEN });
    expect(withStolen.status).toBe(401);
    const { token } = (await verified.json()) as { token: string };
    const admin = await fetch(`${server.url}/admin/users`, {
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    });
    expect(admin.status).toBe(email === ADMIN ? 200 : 403);

    // It stays that way while strangers request everything there is and use up the limits.
    const refused = new Set<number>();
    for (let n = 0; n < 20; n += 1) {
      const another = somebody();
      for (const [path, body] of [
        [recoveryOf(email), { password: 'nil' }],
        ['/users/signup', { email, password: STOLEN }],
        ['/users/verify', { email, email_token: 100_000 + n }],
        [loginOf(email), { password: `guess ${n}` }],
        ['/users/login', { email, password: `guess ${n}`, email_token: 100_000 + n }],
      ] as const) {
        refused.add((await another.post(path, body)).status);
      }
    }
    expect([...refused].sort()).toEqual([204, 401, 422, 429]);
    const now = Date.now();
    expect((await owner.post(loginOf(email), { password: PASSWORD })).status).toBe(204);
    const code = await readCode(server.outbox, email, now);
    const body = { email, password: PASSWORD, email_token: code };
    expect((await owner.post('/users/login', body)).status).toBe(200);
    expect((await owner.post(recoveryOf(email), { password: 'nil' })).status).toBe(204);
  });
});

test('links in mails lead where the configuration says, whatever the request calls us', async () => {
  const { email } = await signUp(server);
  const path = '/users/signup';
  const lies = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    forwarded: 'host=evil.example',
    'x-forwarded-proto': 'gopher',
  };
  await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...lies },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  const mail = await until(async () =>
    (await mailsTo(email)).find((one) => one.includes('You already have')),
  );
  expect(mail).toContain(`${server.url}/login`);
  expect(mail).not.toContain('evil');
});

describe('a form that another site has a browser send', () => {
  const fromElsewhere: Record<string, string>[] = [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://blog.example.com', 'sec-fetch-site': 'same-site' },
    { origin: 'null' },
  ];
  const asForm = { 'content-type': 'application/x-www-form-urlencoded' };

  test('logs nobody out, and gives the browser no new name', async () => {
    const user = await signUp(server);
    for (const headers of fromElsewhere) {
      for (const path of ['/users/logout', '/users/login', '//users/logout', '/users/signup']) {
        for (const cookie of ['', user.client.cookies()]) {
          const response = await fetch(`${server.url}${path}`, {
            method: 'POST',
            headers: { ...asForm, ...headers, ...(cookie && { cookie }) },
            body: 'email=a%40example.com&password=long+enough&email_token=123456',
          });
          expect([path, response.status, response.headers.getSetCookie()]).toEqual([path, 403, []]);
        }
      }
    }
    const profile = await fetch(`${server.url}/users/profile`, { headers: user.authorization });
    expect(profile.status).toBe(200);
    const page = await fetch(`${server.url}/profile`, {
      redirect: 'manual',
      headers: { cookie: user.client.cookies(), accept: 'text/html' },
    });
    expect(page.status).toBe(200);
  });

  test('is what a form of our own is not, whichever name we are opened by', async () => {
    const { host, port } = new URL(server.url);
    for (const headers of [
      { origin: server.url, 'sec-fetch-site': 'same-origin' },
      { origin: `http://${host}` },
      { host: `192.0.2.9:${port}`, origin: `http://192.0.2.9:${port}` },
    ] as Record<string, string>[]) {
      const response = await fetch(`${server.url}/users/logout`, { method: 'POST', headers });
      expect(response.status).toBe(204);
    }
  });
});

describe('a page that needs a session', () => {
  const cookies = async () => {
    const [good, revoked] = [await signUp(server), await signUp(server)];
    const headers = revoked.authorization;
    await fetch(`${server.url}/users/logout`, { method: 'POST', headers });
    const bad = ['', 'wharf_session=no.token.here', `wharf_session=${revoked.token}`];
    return { good: `wharf_session=${good.token}`, bad };
  };
  const visit = (path: string, cookie: string) =>
    fetch(`${server.url}${path}`, { redirect: 'manual', headers: { cookie, accept: 'text/html' } });

  test('leads to the login without a valid cookie', async () => {
    const { good, bad } = await cookies();
    for (const path of ['/dashboard', '/profile', '/billing']) {
      expect((await visit(path, good)).status).toBe(200);
      for (const cookie of bad) {
        const response = await visit(path, cookie);
        expect([path, cookie, response.status]).toEqual([path, cookie, 302]);
        expect(response.headers.get('location')).toBe('/login');
      }
    }
  });

  test('is where the login leads back to, once, and nothing else is', async () => {
    const redirect = await visit('/billing?from=mail', '');
    const cookie = (redirect.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const login = await visit('/login', cookie);
    expect(await login.text()).toContain('"returnPath":"/billing?from=mail"');
    expect(login.headers.get('set-cookie')).toMatch(/^wharf_return=;.*Max-Age=0/);

    for (const value of [
      '//evil.example/billing',
      'https://evil.example/',
      '/login',
      '/%09/e.example',
    ]) {
      const hostile = await visit('/login', `wharf_return=${encodeURIComponent(value)}`);
      expect(await hostile.text()).toContain('"returnPath":null');
      expect(hostile.headers.get('set-cookie')).toMatch(/^wharf_return=;/);
    }
    expect((await visit('/login', '')).headers.get('set-cookie')).toBeNull();
  });

  test('is never where the login leads to, whatever the cookie', async () => {
    const { good, bad } = await cookies();
    for (const cookie of [good, ...bad]) expect((await visit('/login', cookie)).status).toBe(200);
  });
});
