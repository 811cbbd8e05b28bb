import { describe, expect, test } from 'bun:test';
import type { BucketDetailWire } from '../../../server/contract/wire.ts';
import { createBucket, PASSWORD, signUp } from '../../support/client/api.ts';
import { sharedServerInProcess } from '../../support/server/in-process-server.ts';

const MINUTE = 60_000;
const time = { now: Date.now() };
const server = await sharedServerInProcess({ TRUST_PROXY: '1' }, { clock: () => time.now });

/** The calls that would turn a stolen session into the account, or lock its owner out. */
const SENSITIVE = (bucketId: string): [string, string, unknown?][] => [
  ['POST', '/users/email', new URLSearchParams({ subject: 'change-email', email: 'x@y.example' })],
  ['PUT', '/users/email', { email: 'x@y.example', email_token: 123456 }],
  ['DELETE', '/users/sessions/nowhere'],
  ['DELETE', '/users/sessions'],
  ['DELETE', '/users/trusted-browsers/nowhere'],
  ['GET', `/buckets/api-key/${bucketId}`],
  ['PUT', `/buckets/roll/api-key/${bucketId}`],
];

describe('a session whose password was entered more than ten minutes ago', () => {
  test('does nothing sensitive before it was entered again, and everything else', async () => {
    const user = await signUp(server);
    const bucket = await createBucket(server, user.token, 'Kept');
    const call = (method: string, path: string, body?: unknown) => {
      const isForm = body instanceof URLSearchParams;
      return fetch(`${server.url}${path}`, {
        method,
        headers: {
          ...user.authorization,
          ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
        },
        body: isForm ? body : JSON.stringify(body),
      });
    };
    const codes = () =>
      Promise.all(
        SENSITIVE(bucket.id).map(async ([method, path, body]) => {
          const response = await call(method, path, body);
          return response.headers.get('x-error-code');
        }),
      );
    const readKey = async () =>
      ((await (await call('GET', `/buckets/${bucket.id}`)).json()) as BucketDetailWire).api_key;

    expect(bucket.api_key).toStartWith('whf_');
    time.now += 10 * MINUTE;
    expect(await codes()).toEqual(SENSITIVE(bucket.id).map(() => 'password-required'));
    expect(await readKey()).toBeNull();
    expect((await call('GET', '/users/profile')).status).toBe(200);
    expect((await call('POST', '/users/email', { subject: 'delete-account' })).status).toBe(204);
    const list = `${server.url}/files/${bucket.id}`;
    const byKey = { headers: { 'x-api-key': bucket.api_key } };
    expect((await fetch(list, byKey)).status).toBe(200);

    const wrong = await call('POST', '/users/confirm/password', { password: 'not it' });
    expect([wrong.status, await wrong.text()]).toEqual([422, 'Incorrect password.']);
    expect((await call('POST', '/users/confirm/password', { password: PASSWORD })).status).toBe(
      204,
    );
    expect(await readKey()).toBe(bucket.api_key);
    expect(await codes()).toEqual([null, 'wrong-code', 'not-found', null, 'not-found', null, null]);
  });

  test('the page of the API key contains no key', async () => {
    const user = await signUp(server);
    const bucket = await createBucket(server, user.token, 'Hidden');
    const headers = { cookie: `wharf_session=${user.token}` };
    const page = await fetch(`${server.url}/dashboard/api-key/${bucket.id}`, { headers });
    const html = await page.text();
    expect([page.status, html.includes(bucket.id)]).toEqual([200, true]);
    expect(html).not.toContain(bucket.api_key);
  });
});
