import { expect, test } from 'bun:test';
import type { CallResponse } from '../../../server/contract/calls.ts';
import { DAY, SECOND } from '../../../server/contract/limits.ts';
import { PASSWORD, signUp, type TestUser } from '../../support/client/api.ts';
import { readCode } from '../../support/client/outbox.ts';
import { sharedServerInProcess } from '../../support/server/in-process-server.ts';

const server = await sharedServerInProcess({ TRUST_PROXY: '1', COUNTRY_HEADER: 'CF-IPCountry' });

/** Logs in with a code in the browser of a user, and returns the response. */
async function logIn({ client, email }: TestUser, more: object, headers = {}) {
  const requestedAt = Date.now();
  await client.post(`/users/send/email/no/auth/${email}/login`, { password: PASSWORD });
  const email_token = await readCode(server.outbox, email, requestedAt);
  return client.post('/users/login', { email, password: PASSWORD, email_token, ...more }, headers);
}
const logInTrusted = ({ client, email }: TestUser, headers = {}) =>
  client.post('/users/login/trusted', { email, password: PASSWORD }, headers);
const listOf = async ({ client, authorization }: TestUser) => {
  const response = await client.fetch('/users/trusted-browsers', { headers: authorization });
  return ((await response.json()) as CallResponse<'GET /users/trusted-browsers'>).data;
};
const remove = ({ client, authorization }: TestUser, id: string, headers = authorization) =>
  client.fetch(`/users/trusted-browsers/${id}`, { method: 'DELETE', headers });

test('a login trusts its browser only where it says so, by a cookie that no script reads', async () => {
  const user = await signUp(server);
  const plain = await logIn(user, {});
  expect(plain.headers.getSetCookie().join()).not.toContain('wharf_trust');
  const refused = await logInTrusted(user);
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([403, 'code-required']);
  expect(await listOf(user)).toEqual([]);

  const login = await logIn(user, { trust_browser: true });
  const cookie = login.headers.getSetCookie().find((line) => line.startsWith('wharf_trust_')) ?? '';
  const [pair = '', ...attributes] = cookie.split('; ');
  expect(pair).toMatch(new RegExp(`^wharf_trust_${user.userId}=[A-Za-z0-9_-]{43}$`));
  expect(attributes.map((text) => text.toLowerCase())).toEqual(
    expect.arrayContaining(['httponly', 'samesite=lax', `max-age=${(30 * DAY) / SECOND}`]),
  );
  expect(await login.text()).not.toContain(pair.split('=')[1] as string);
  const trusted = await logInTrusted(user);
  expect(trusted.status).toBe(200);
  const { token } = (await trusted.json()) as { token: string };
  expect(user.client.cookies()).toContain(`wharf_session=${token}`);
  expect(await listOf(user)).toMatchObject([{ current: true }]);
});

test('a stranger with the password needs a code, and another site can do nothing', async () => {
  const user = await signUp(server);
  await logIn(user, { trust_browser: true });
  const stranger = await signUp(server);
  await logIn(stranger, { trust_browser: true });
  const { email } = user;
  const guess = await stranger.client.post('/users/login/trusted', { email, password: PASSWORD });
  expect(guess.headers.get('x-error-code')).toBe('code-required');
  const crossSite = await logInTrusted(user, {
    origin: 'https://evil.example',
    'sec-fetch-site': 'cross-site',
  });
  expect(crossSite.status).toBe(403);
  expect(crossSite.headers.get('x-error-code')).not.toBe('code-required');

  const [browser] = await listOf(user);
  const id = browser?.id ?? '';
  expect((await remove(stranger, id)).status).toBe(404);
  for (const headers of [{}, { 'x-api-key': `whf_${'a'.repeat(43)}` }] as Record<
    string,
    string
  >[]) {
    expect((await remove(user, id, headers as never)).status).toBe(401);
    expect((await user.client.fetch('/users/trusted-browsers', { headers })).status).toBe(401);
  }
  expect((await logInTrusted(user)).status).toBe(200);
  expect((await remove(user, id)).status).toBe(204);
  expect((await logInTrusted(user)).status).toBe(403);
});

test('wrong passwords are limited as at any other login', async () => {
  const user = await signUp(server);
  const statuses = [];
  for (let n = 0; n < 32; n += 1) {
    const body = { email: user.email, password: 'guess' };
    statuses.push((await user.client.post('/users/login/trusted', body)).status);
  }
  expect(statuses).toEqual([...Array(30).fill(401), 429, 429]);
});

test('a session shows the country that the proxy tells', async () => {
  const user = await signUp(server);
  await logIn(user, { trust_browser: true }, { 'cf-ipcountry': 'PT' });
  const response = await user.client.fetch('/users/sessions', { headers: user.authorization });
  const { data } = (await response.json()) as CallResponse<'GET /users/sessions'>;
  expect(data.map(({ country }) => country).sort()).toEqual(['PT', null]);
  expect(await listOf(user)).toMatchObject([{ country: 'PT' }]);
  const history = await user.client.fetch('/users/logins', { headers: user.authorization });
  const { data: logins } = (await history.json()) as CallResponse<'GET /users/logins'>;
  expect(logins).toMatchObject([
    { method: 'code', country: 'PT', active: true, current: false },
    { method: 'signup', country: null, active: true, current: true },
  ]);
});
