import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { processesIn } from '../../../media/testing/processes.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import {
  createBucket,
  form,
  PASSWORD,
  requestCode,
  signUp,
  waitForFile,
} from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { LONG_CLIP_SIZES, longClip, photo } from '../../support/fixtures/make-media.ts';
import { sharedServerInProcess } from '../../support/server/in-process-server.ts';

const server = await sharedServerInProcess({ TRUST_PROXY: '1' });

/** Calls as a user from their own network, so that one test does not use up the limits of the next. */
const call = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) =>
  fetch(`${server.url}${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });

describe('wrong values', () => {
  const wrong: [string, string, unknown, number][] = [
    ['POST', '/users/email', {}, 422],
    ['POST', '/users/email', { subject: 'something' }, 422],
    ['POST', '/users/email', { subject: 'change-email' }, 400],
    [
      'POST',
      '/users/email',
      { subject: 'change-email', email: 'a@b.example\r\nBcc: c@d.example' },
      400,
    ],
    ['PUT', '/users/email', { email: 'a@b.example' }, 422],
    ['PUT', '/users/email', { email: 'a@b.example', email_token: 123456 }, 422],
    ['PUT', '/users/update/password', { password: 'short' }, 422],
    ['PUT', '/users/update/password', { password: 'long enough' }, 422],
    ['PUT', '/users/update/password', { password: 'long enough', email_token: 'x' }, 422],
    ['DELETE', '/users', {}, 422],
    ['DELETE', '/users', { token: 123456 }, 422],
    ['DELETE', '/users/sessions/nowhere', undefined, 404],
    ['POST', '/users/email/undo', { token: 'x' }, 422],
    ['POST', '/users/email/undo', { token: 'A'.repeat(43) }, 410],
    ['GET', '/users/mail/status?email=x&purpose=login', undefined, 422],
    ['GET', '/users/mail/status?email=a@b.example&purpose=admin', undefined, 422],
  ];
  test('are refused with a sentence', async () => {
    const user = await signUp(server);
    for (const [method, path, body, status] of wrong) {
      const response = await call(method, path, user.authorization, body);
      const text = await response.text();
      expect([method, path, body, response.status]).toEqual([method, path, body, status]);
      expect(text).toMatch(/^[A-Z'a-z].*\.$/);
    }
    expect((await call('GET', '/users/profile', user.authorization)).status).toBe(200);
  });
});

describe('a spoofed X-Forwarded-For', () => {
  test('does not get round the limits: only what our own proxy adds counts', async () => {
    const statuses = [];
    for (let n = 0; n < 17; n += 1) {
      const headers = { 'x-forwarded-for': `10.0.0.${n}, 198.51.100.7` };
      const path = '/users/send/email/no/auth/victim@example.com/login';
      const response = await call('POST', path, headers, { password: 'guess' });
      statuses.push(response.status);
      if (response.status === 429) {
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(60);
        expect(await response.text()).toMatch(/Try again in \d+ hours\./);
      }
    }
    expect(statuses).toEqual([...Array(15).fill(401), 429, 429]);
  });
});

test('a session shows the address that its client came from, by the proxy we trust', async () => {
  const user = await signUp(server);
  const list = await call('GET', '/users/sessions', user.authorization);
  const { data } = (await list.json()) as { data: { address: string; current: boolean }[] };
  expect(data).toEqual([expect.objectContaining({ address: '127.0.0.1', current: true })]);
});

describe('deleting an account', () => {
  test('wipes sessions, buckets, files, uploads and objects, and stops what is being encoded', async () => {
    const user = await signUp(server);
    const bucket = await createBucket(server, user.token);
    const upload = async (kind: string, fields: Record<string, string>, bytes: Buffer) => {
      const response = await fetch(`${server.url}/files/upload/${kind}/${bucket.id}`, {
        method: 'POST',
        headers: { 'x-api-key': bucket.api_key },
        body: form(fields, new Blob([bytes as never]), 'x'),
      });
      return (await response.json()) as FileWire;
    };
    const image = await upload('image', { webp: 'yes' }, await photo());
    const { url } = await waitForFile(server, bucket, image.id);
    // The server trusts a proxy, and has no address of its own.
    expect((await fetch(new URL(url ?? '', server.url))).status).toBe(200);
    const video = { total_chunks: '1', chunk_number: '0', resolution: LONG_CLIP_SIZES };
    await upload('video', { client_id: 'a', ...video }, await longClip());
    await upload(
      'video',
      { client_id: 'half', ...video, total_chunks: '2', chunk_number: '1' },
      Buffer.from('the end'),
    );
    // The encode is running at this moment.
    const encoders = () => processesIn(join(server.dataDir, 'work'), 'libx264');
    await until(async () => encoders().length > 0);

    const contents = await (await call('POST', '/users/empty', user.authorization)).json();
    expect(contents).toMatchObject({ empty: false, buckets: 1, files: 2, paid_credit: 0 });
    expect(contents.contact).toContain('@');
    const code = await requestCode(server, user, 'delete-account');
    const response = await user.client.fetch('/users', {
      method: 'DELETE',
      headers: { ...user.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ token: code }),
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await call('GET', '/buckets', user.authorization)).status).toBe(401);
    expect([401, 409]).toContain(
      (await call('GET', `/files/${bucket.id}`, { 'x-api-key': bucket.api_key })).status,
    );

    const { db } = server;
    const rows = () => db.selectFrom('users').select('id').where('id', '=', user.userId).execute();
    await until(async () => (await rows()).length === 0);
    expect((await fetch(new URL(url ?? '', server.url))).status).toBe(404);
    await server.services.housekeeping.round();
    const remaining = await Array.fromAsync(server.services.objects.list(''));
    expect(remaining.filter(({ key }) => key.includes(bucket.id))).toEqual([]);
    const jobs = await db
      .selectFrom('jobs')
      .select('kind')
      .where('state', 'in', ['queued', 'running'])
      .execute();
    expect(jobs).toEqual([]);
    expect(
      await db
        .selectFrom('upload_sessions')
        .selectAll()
        .where('bucket_id', '=', bucket.id)
        .execute(),
    ).toEqual([]);
    await until(async () => encoders().length === 0);
  });
});

describe('over HTTP', () => {
  test('the address changes with the code from the new one', async () => {
    const user = await signUp(server);
    const email = `moved-${crypto.randomUUID()}@example.com`;
    const code = await requestCode(server, user, 'change-email', { email });
    const change = (email_token: number) =>
      user.client.fetch('/users/email', {
        method: 'PUT',
        headers: { ...user.authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ email, email_token }),
      });
    expect((await change(code)).status).toBe(204);
    expect(await (await call('GET', '/users/profile', user.authorization)).json()).toEqual({
      email,
    });
    expect((await change(code)).status).toBe(422);
  });

  test('no answer tells whether an address has an account', async () => {
    const user = await signUp(server);
    const unknown = `nobody-${crypto.randomUUID()}@example.com`;
    const look = async (email: string) => {
      const fresh = { 'x-forwarded-for': `192.0.2.${email.length % 200}` };
      const statuses = [];
      for (const [path, body] of [
        ['/users/signup', { email, password: PASSWORD }],
        [`/users/send/email/no/auth/${email}/signup`, { password: 'nil' }],
        [`/users/send/email/no/auth/${email}/login`, { password: 'nil' }],
        [`/users/send/email/no/auth/${email}/login`, { password: 'wrong password' }],
        [`/users/send/email/no/auth/${email}/recovery`, { password: 'nil' }],
        ['/users/verify', { email, email_token: 123456 }],
        ['/users/login', { email, password: 'wrong password', email_token: 123456 }],
      ] as const) {
        const response = await call('POST', path, fresh, body);
        statuses.push([
          response.status,
          await response.text(),
          [...response.headers.keys()].sort().join(),
        ]);
      }
      return statuses;
    };
    expect(await look(user.email)).toEqual(await look(unknown));
  });
});
