import { expect, test } from 'bun:test';
import { createBucket, form, PASSWORD, signUp, type TestUser } from '../../support/client/api.ts';
import { browser } from '../../support/client/browser.ts';
import { readCode } from '../../support/client/outbox.ts';
import { groupServer } from '../../support/server/group-server.ts';

const server = await groupServer();

const NEXT = (email: string) => `next-${email}`;

/** Requests the code of a purpose, in the user's own browser. */
const REQUESTS: Record<string, (user: TestUser, bucketId: string) => Promise<Response>> = {
  signup: ({ client, email }) => client.post('/users/signup', { email, password: PASSWORD }),
  login: ({ client, email }) =>
    client.post(`/users/send/email/no/auth/${email}/login`, { password: PASSWORD }),
  recovery: ({ client, email }) =>
    client.post(`/users/send/email/no/auth/${email}/recovery`, { password: 'nil' }),
  'change-email': (user) => requestAs(user, { subject: 'change-email', email: NEXT(user.email) }),
  'change-password': (user) => requestAs(user, { subject: 'change-password' }),
  'delete-account': (user) => requestAs(user, { subject: 'delete-account' }),
  'delete-bucket': (user, bucketId) =>
    requestAs(user, { subject: 'delete-bucket', bucket_id: bucketId }),
};
const requestAs = ({ client, authorization }: TestUser, fields: Record<string, string>) =>
  client.fetch('/users/email', { method: 'POST', headers: authorization, body: form(fields) });

/** Every call that takes a code, and the purposes for which it accepts one. */
const SPEND: Record<
  string,
  {
    purposes: string[];
    call: (user: TestUser, code: number, bucketId: string) => Promise<Response>;
  }
> = {
  'POST /users/verify': {
    purposes: ['signup', 'recovery'],
    call: ({ client, email }, code) => client.post('/users/verify', { email, email_token: code }),
  },
  'POST /users/login': {
    purposes: ['login'],
    call: ({ client, email }, code) =>
      client.post('/users/login', { email, password: PASSWORD, email_token: code }),
  },
  'PUT /users/email': {
    purposes: ['change-email'],
    call: (user, code) => put(user, '/users/email', { email: NEXT(user.email), email_token: code }),
  },
  'PUT /users/email, to the same address': {
    purposes: [],
    call: (user, code) => put(user, '/users/email', { email: user.email, email_token: code }),
  },
  'PUT /users/update/password': {
    purposes: ['change-password'],
    call: (user, code) =>
      put(user, '/users/update/password', { password: PASSWORD, email_token: code }),
  },
  'DELETE /buckets/{id}': {
    purposes: ['delete-bucket'],
    call: (user, code, id) => put(user, `/buckets/${id}`, { email_token: code }, 'DELETE'),
  },
  'DELETE /users': {
    purposes: ['delete-account'],
    call: (user, code) => put(user, '/users', { token: code }, 'DELETE'),
  },
};
const put = ({ client, authorization }: TestUser, path: string, body: object, method = 'PUT') =>
  client.fetch(path, {
    method,
    headers: { ...authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

for (const [purpose, request] of Object.entries(REQUESTS)) {
  test(`a code for ${purpose} opens that once, nothing else, and nothing in another browser`, async () => {
    const account = await signUp(server);
    const bucket = await createBucket(server, account.token);
    const isSignup = purpose === 'signup';
    const user = isSignup
      ? { ...account, email: `fresh-${account.email}`, client: browser(server.url) }
      : account;
    const requestedAt = Date.now();
    expect((await request(user, bucket.id)).status).toBe(204);
    const to = purpose === 'change-email' ? NEXT(user.email) : user.email;
    const code = await readCode(server.outbox, to, requestedAt);

    const elsewhere = { ...user, client: browser(server.url) };
    const right = [];
    for (const [name, { purposes, call }] of Object.entries(SPEND)) {
      if (purposes.includes(purpose)) {
        right.push(call);
        expect([name, (await call(elsewhere, code, bucket.id)).status]).toEqual([name, 422]);
      } else {
        const { status } = await call(user, code, bucket.id);
        // Where there is no account yet, the password is refused before the code is checked.
        const refused = isSignup && name === 'POST /users/login' ? 401 : 422;
        expect([name, status]).toEqual([name, refused]);
      }
    }
    expect(right).toHaveLength(1);
    for (const call of right) {
      const responses = await Promise.all([1, 2, 3].map(() => call(user, code, bucket.id)));
      const good = responses.filter(({ status }) => status === 200 || status === 204);
      expect(good).toHaveLength(1);
      expect((await call(user, code, bucket.id)).status).toBeGreaterThanOrEqual(400);
    }
  });
}
