import { beforeAll, describe, expect, test } from 'bun:test';
import { exampleOf } from '../../../server/features/docs/example.ts';
import type { Schema } from '../../../server/features/docs/openapi.ts';
import { createBucket, createToken, signUp, uploadFile } from '../../support/client/api.ts';
import { forgedTokens } from '../../support/client/forged-tokens.ts';
import { callsOf, type ReferenceCall } from '../../support/client/reference.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { sharedBucket } from '../../support/server/server.ts';

/*
 * Tests every call of the API reference, whoever adds it, with everything that must be rejected. The ids in
 * each call exist, so that 'not found' is never the reason.
 */

const ENV = { ADMIN_EMAIL: 'admin@example.com', METRICS_TOKEN: 'm'.repeat(32) };
const { server, user: owner, bucket } = await sharedBucket(ENV);

const stranger = await signUp(server);
let calls: ReferenceCall[];
let ids: Record<string, string>;

beforeAll(async () => {
  calls = await callsOf(server.url);
  const file = await uploadFile(
    server,
    bucket,
    'image',
    { access: 'private' },
    await photo(),
    'a.jpg',
  );
  const { data } = (await (
    await owner.client.fetch('/users/sessions', { headers: owner.authorization })
  ).json()) as { data: { id: string }[] };
  ids = {
    bucketID: bucket.id,
    fileID: file.id,
    userID: owner.userId,
    id: data[0]?.id ?? '',
    expires: '0',
    scope: 'read',
    amount: '5',
    month: '2026-01',
    p1: 'ana@example.com',
    p2: 'login',
  };
});

type RequestParts = { credential?: Record<string, string>; body?: unknown; text?: string };

/** The reference must list every status with which a call is answered. */
async function send(call: ReferenceCall, { credential = {}, body, text }: RequestParts) {
  const path = call.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '01'.repeat(13));
  const requestBody = text ?? (body === undefined ? undefined : JSON.stringify(body));
  const content = ['GET', 'HEAD'].includes(call.method) ? undefined : requestBody;
  const response = await fetch(server.url + path, {
    method: call.method,
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      ...(path.startsWith('/files/tus') && { 'tus-resumable': '1.0.0' }),
      ...(content !== undefined && { 'content-type': 'application/json' }),
      ...credential,
    },
    ...(content !== undefined && { body: content }),
  });
  expect(call.statuses, `${call.name} answers ${response.status}`).toContain(response.status);
  return { status: response.status, text: await response.text() };
}

const guarded = () => calls.filter(({ authorities }) => authorities.length > 0);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('a call that needs somebody', () => {
  test('is told from one that needs nobody', () => {
    expect(guarded().length).toBeGreaterThan(50);
    const open = calls.filter(({ authorities }) => authorities.length === 0);
    expect(open.map(({ name }) => name).sort()).toEqual([
      'GET /health',
      'GET /users/mail/status',
      'POST /payments/crypto/webhook',
      'POST /payments/stripe/webhook',
      'POST /users/email/undo',
      'POST /users/login',
      'POST /users/login/trusted',
      'POST /users/logout',
      'POST /users/send/email/no/auth/{p1}/{p2}',
      'POST /users/signup',
      'POST /users/verify',
    ]);
  });

  test('refuses nobody, every forged token, an expired and a revoked one, and other keys, with 401', async () => {
    const { sound, forged } = await forgedTokens(server, owner);
    for (const token of sound) {
      const profile = await fetch(`${server.url}/users/profile`, { headers: bearer(token) });
      expect(profile.status).toBe(200);
    }
    const leaver = await signUp(server);
    await leaver.client.post('/users/logout', {}, leaver.authorization);
    const cookie = owner.client.cookies();
    const refused: [string, Record<string, string>][] = [
      ['nothing', {}],
      ['a revoked token', leaver.authorization],
      ['the cookie of the pages', { cookie }],
      ['a read token', bearer(await createToken(server, bucket))],
      ['an API key that is none', { 'x-api-key': `${bucket.api_key}x` }],
      ...Object.entries(forged).map(([what, token]): [string, Record<string, string>] => [
        `a token ${what}`,
        bearer(token),
      ]),
    ];
    const statuses = [];
    for (const call of guarded()) {
      for (const [what, credential] of refused) {
        const { status } = await send(call, { credential, text: '{ nonsense' });
        if (status !== 401) statuses.push([call.name, what, status]);
      }
    }
    expect(statuses).toEqual([]);
  });

  test('of a session refuses the API key and the write token of the bucket', async () => {
    const others = [bucket.api_key, await createToken(server, bucket, { scope: 'write' })];
    const statuses = [];
    for (const call of guarded()) {
      if (call.authorities.includes('apiKey')) continue;
      for (const token of others) {
        const { status } = await send(call, { credential: bearer(token) });
        if (status !== 401) statuses.push([call.name, status]);
      }
    }
    expect(statuses).toEqual([]);
  });

  test('about a bucket knows none for another user, another bucket’s key and its write token', async () => {
    const theirs = await createBucket(server, stranger.token);
    const write = await createToken(server, theirs, { scope: 'write' });
    const statuses = [];
    for (const call of guarded()) {
      if (!call.path.includes('{bucketID}') || call.path.startsWith('/admin')) continue;
      const body = call.body ? exampleOf(call.body) : undefined;
      const session = await send(call, { credential: stranger.authorization, body });
      if (session.status !== 404) statuses.push([call.name, 'session', session.status]);
      for (const token of [theirs.api_key, write]) {
        const { status } = await send(call, { credential: bearer(token), body });
        if (status !== 404 && status !== 401) statuses.push([call.name, 'key', status]);
      }
    }
    expect(statuses).toEqual([]);
  });

  test('gives another user nothing of the owner’s', async () => {
    const statuses = [];
    for (const call of guarded()) {
      if (call.method !== 'GET') continue;
      const { text } = await send(call, { credential: stranger.authorization });
      for (const secret of [owner.email, owner.userId, bucket.id, ids.fileID ?? '']) {
        if (text.includes(secret)) statuses.push([call.name, secret]);
      }
    }
    const response = await fetch(`${server.url}/users/sessions/${ids.id}`, {
      method: 'DELETE',
      headers: stranger.authorization,
    });
    expect([statuses, response.status]).toEqual([[], 404]);
    const mine = await fetch(`${server.url}/users/profile`, { headers: owner.authorization });
    expect(mine.status).toBe(200);
  });
});

/** Returns values that none of the fields allows. */
const wrongFor = ({ properties, type }: Schema): unknown[] =>
  properties || type === 'object' ? ['x', 1, []] : [{ a: 1 }, [{ a: 1 }], [[]]];

test('every call that takes JSON refuses wrong types with a sentence, and nothing happens', async () => {
  const statuses = [];
  for (const call of calls) {
    if (!call.body || call.path.startsWith('/payments/')) continue;
    const good = exampleOf(call.body) as Record<string, unknown>;
    const fields = Object.entries(call.body.properties ?? {});
    const bodies = fields.flatMap(([name, schema]) =>
      wrongFor(schema).map((value) => JSON.stringify({ ...good, [name]: value })),
    );
    for (const text of [...bodies, '[]', '"x"', '1', '{"a":', '[[', 'true']) {
      const { status, text: responseText } = await send(call, {
        credential: owner.authorization,
        text,
      });
      const isAdmins = call.path.startsWith('/admin/') && status === 403;
      const isRefused = status === 422 || status === 400 || isAdmins;
      if (!isRefused || !/^[A-Za-z_' ]+.*\.$/.test(responseText))
        statuses.push([call.name, text, status, responseText]);
    }
  }
  expect(statuses).toEqual([]);
  // This value can't be converted to a string, which an error message would try.
  const login = calls.find(({ name }) => name === 'POST /users/login');
  const { status } = await send(login as ReferenceCall, { text: '{"email":{"toString":"x"}}' });
  expect(status).toBe(422);
  const headers = owner.authorization;
  const list = await (await fetch(`${server.url}/buckets`, { headers })).json();
  expect(list).toMatchObject({ data: [{ id: bucket.id, name: 'Pictures' }] });
});
