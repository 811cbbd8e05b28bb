import { expect, test } from 'bun:test';
import { PASSWORD, signUp } from '../../support/client/api.ts';
import { browser } from '../../support/client/browser.ts';
import { readCode } from '../../support/client/outbox.ts';
import { ADMIN, withAdmin } from '../../support/fixtures/admin-fixture.ts';
import { sharedServer } from '../../support/server/server.ts';

const { server, get } = await withAdmin(await sharedServer({ ADMIN_EMAIL: ADMIN }));
const json = (response: Response) => response.json() as Promise<Record<string, unknown>>;

/** Signs up with an address whose mail arrives at `sentTo`. */
async function signUpAt(email: string, sentTo: string) {
  const client = browser(server.url);
  await client.post('/users/signup', { email, password: PASSWORD });
  const code = await readCode(server.outbox, sentTo);
  return client.post('/users/verify', { email, email_token: code });
}

async function logInAt(email: string, sentTo: string) {
  const client = browser(server.url);
  const since = Date.now();
  const path = `/users/send/email/no/auth/${encodeURIComponent(email)}/login`;
  expect((await client.post(path, { password: PASSWORD })).status).toBe(204);
  const code = await readCode(server.outbox, sentTo, since);
  return client.post('/users/login', { email, password: PASSWORD, email_token: code });
}

test('an address at an international domain is one account, however it is typed', async () => {
  const typed = 'Jorg@Bücher.example';
  const session = await json(await signUpAt(typed, 'Jorg@xn--bcher-kva.example'));
  expect(session).toMatchObject({ email: typed });
  const spellings = [
    'jorg@bücher.example',
    'jorg@BU\u0308CHER.example',
    'jorg@xn--bcher-kva.example',
  ];
  for (const spelling of spellings) {
    const response = await logInAt(spelling, '@xn--bcher-kva.example');
    expect([spelling, response.status]).toEqual([spelling, 200]);
    expect(await json(response)).toMatchObject({ userId: session.userId, email: typed });
  }
  // A second signup gets no account.
  const email = 'jorg@bücher.example';
  await browser(server.url).post('/users/signup', { email, password: PASSWORD });
  const path = `/admin/users?email=${encodeURIComponent('bücher.example')}`;
  const { data } = await get<{ data: { email: string }[] }>(path);
  expect(data.map((row) => row.email)).toEqual([typed]);
});

test('an account can move to an address at an international domain', async () => {
  const user = await signUp(server);
  const email = 'ada@почта.рф';
  await user.client.post('/users/email', { subject: 'change-email', email }, user.authorization);
  const code = await readCode(server.outbox, 'ada@xn--80a1acny.xn--p1ai');
  const changed = await user.client.fetch('/users/email', {
    method: 'PUT',
    headers: { ...user.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ email, email_token: code }),
  });
  expect(changed.status).toBe(204);
  const profile = await fetch(`${server.url}/users/profile`, { headers: user.authorization });
  expect(await json(profile)).toMatchObject({ email });
});

test.each(['jörg@example.com', 'jörg@bücher.example', '用户@例え.jp'])(
  'an address with such characters before the @ is refused with a sentence that says so: %s',
  async (email) => {
    const response = await browser(server.url).post('/users/signup', { email, password: PASSWORD });
    expect([response.status, response.headers.get('x-error-code'), await response.text()]).toEqual([
      400,
      'bad-email',
      "Email addresses with characters like ü or 你 before the @ aren't supported. Use another address.",
    ]);
  },
);
