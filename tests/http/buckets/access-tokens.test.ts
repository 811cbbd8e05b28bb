import { describe, expect, test } from 'bun:test';
import { HOUR, MAX_ACCESS_TOKENS, MINUTE, SECOND } from '../../../server/contract/limits.ts';
import type { AccessTokenWire, CreatedApiKeyWire } from '../../../server/contract/wire.ts';
import { createBucket, createToken, signUp, uploadFile } from '../../support/client/api.ts';
import { FORM_HEADERS, formStart, slowBody } from '../../support/client/slow-body.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

let passed = 0;
const clock = () => Date.now() + passed;
const { server, user, bucket } = await sharedBucketInProcess({}, { clock });
const { accessTokens } = server.services.buckets;
const image = await photo();
const owner = user.authorization;

const call = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
  fetch(server.url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
type Form = { name?: unknown; file_id?: string; prefix?: string };
const post = (form: Form, scope = 'read', id = bucket.id, expires = 0, headers = owner) =>
  call('POST', `/buckets/jwt/${id}/${expires}/${scope}`, headers, form);
const create = async (...args: Parameters<typeof post>) =>
  (await (await post(...args)).json()) as { jwt: string; id: string };
const list = async (id = bucket.id) =>
  (
    (await (await call('GET', `/buckets/tokens/${id}`, owner)).json()) as {
      data: AccessTokenWire[];
    }
  ).data;
const revoke = (tokenId: string, id = bucket.id, headers = owner) =>
  call('DELETE', `/buckets/tokens/${id}/${tokenId}`, headers);
const upload = (jwt: string, id = bucket.id) => {
  const body = new FormData();
  body.set('access', 'private');
  body.set('file', new File([new Uint8Array(image)], 'a.jpg'));
  const headers = { authorization: `Bearer ${jwt}` };
  return fetch(`${server.url}/files/upload/image/${id}`, { method: 'POST', headers, body });
};
const privateFile = (id: typeof bucket) =>
  uploadFile(server, id, 'image', { access: 'private' }, image, 'a.jpg');

describe('a token with a name', () => {
  test('is listed with its limits, without the token, and one without a name is not', async () => {
    const own = await createBucket(server, user.token);
    const expires = Math.floor(clock() / SECOND) + 60;
    const { jwt, id } = await create(
      { name: ' Gallery ', prefix: 'photos/' },
      'read',
      own.id,
      expires,
    );
    expect(await createToken(server, own)).toBeString();
    const text = await (await call('GET', `/buckets/tokens/${own.id}`, owner)).text();
    expect(text).not.toContain(jwt.split('.')[2] as string);
    expect(JSON.parse(text).data).toEqual([
      {
        ...{ id, name: 'Gallery', scope: 'read', file_id: null, prefix: 'photos/', api_key: null },
        ...{ expires: new Date(expires * SECOND).toISOString(), last_used: null },
        date: expect.any(String),
      },
    ]);
    const rows = JSON.stringify(await server.db.selectFrom('access_tokens').selectAll().execute());
    expect(rows).not.toContain(jwt);
  });

  test('is of no use once it is revoked, and no other token is', async () => {
    const file = await privateFile(bucket);
    const status = async (jwt: string) => (await fetch(`${file.url}?jwt=${jwt}`)).status;
    const [lost, kept] = [await create({ name: 'lost' }), await create({ name: 'kept' })];
    const [lostWriter, keptWriter] = [
      await create({ name: 'w' }, 'write'),
      await create({ name: 'w' }, 'write'),
    ];
    const unnamed = await createToken(server, bucket);
    expect(await Promise.all([lost.jwt, kept.jwt, unnamed].map(status))).toEqual([200, 200, 200]);
    expect((await upload(lostWriter.jwt)).status).toBe(201);
    for (const { id } of [lost, lostWriter]) expect((await revoke(id)).status).toBe(204);
    expect(await Promise.all([lost.jwt, kept.jwt, unnamed].map(status))).toEqual([403, 200, 200]);
    expect((await upload(lostWriter.jwt)).status).toBe(401);
    expect((await upload(keptWriter.jwt)).status).toBe(201);
    expect((await revoke(lost.id)).status).toBe(404);
    expect((await list()).map(({ id }) => id)).not.toContain(lost.id);
  });

  test('that is revoked while it uploads ends the upload', async () => {
    const { id, jwt } = await create({ name: 'slow' }, 'write');
    const { body } = slowBody(formStart({ access: 'public' }), image.subarray(0, 1000));
    const response = fetch(`${server.url}/files/upload/image/${bucket.id}`, {
      method: 'POST',
      headers: { ...FORM_HEADERS, authorization: `Bearer ${jwt}` },
      body,
    });
    await revoke(id);
    expect((await response).status).toBe(401);
  });

  test('is gone with the primary key, and with the named key that created it', async () => {
    const own = await createBucket(server, user.token);
    const named = (await (
      await fetch(`${server.url}/buckets/api-keys/${own.id}`, {
        method: 'POST',
        headers: { ...owner, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'CI', scope: 'read' }),
      })
    ).json()) as CreatedApiKeyWire;
    await create({ name: 'of the owner' }, 'read', own.id);
    await create({ name: 'of CI' }, 'read', own.id, 0, { 'x-api-key': named.api_key } as never);
    const names = async () => (await list(own.id)).map(({ name, api_key }) => [name, api_key]);
    expect(await names()).toEqual([
      ['of CI', 'CI'],
      ['of the owner', null],
    ]);
    await call('DELETE', `/buckets/api-keys/${own.id}/${named.id}`, owner);
    expect(await names()).toEqual([['of the owner', null]]);
    await call('PUT', `/buckets/roll/api-key/${own.id}`, owner);
    expect(await names()).toEqual([]);
    const row = server.db.selectFrom('buckets').select('token_ids').where('id', '=', own.id);
    expect(await row.executeTakeFirstOrThrow()).toEqual({ token_ids: null });
  });

  test('is listed and revoked by the owner alone, and no token opens a bucket that lists another', async () => {
    const own = await createBucket(server, user.token);
    const file = await privateFile(own);
    const { id, jwt } = await create({ name: 'mine' }, 'read', own.id);
    const stranger = (await signUp(server)).authorization;
    const others = await createBucket(server, (await signUp(server)).token);
    expect((await call('GET', `/buckets/tokens/${own.id}`, stranger)).status).toBe(404);
    expect((await post({ name: 'x' }, 'read', own.id, 0, stranger)).status).toBe(404);
    expect((await revoke(id, own.id, stranger)).status).toBe(404);
    expect((await revoke(id, others.id)).status).toBe(404);
    expect((await revoke(id, bucket.id)).status).toBe(404);
    const credentials: Record<string, string>[] = [
      {},
      { 'x-api-key': own.api_key },
      { authorization: `Bearer ${jwt}` },
    ];
    for (const headers of credentials) {
      expect((await call('GET', `/buckets/tokens/${own.id}`, headers)).status).toBe(401);
      expect((await revoke(id, own.id, headers as never)).status).toBe(401);
    }
    expect((await fetch(`${file.url}?jwt=${jwt}`)).status).toBe(200);
    expect(await list(own.id)).toHaveLength(1);
  });

  test('is refused with a bad name, and nothing is listed', async () => {
    const own = await createBucket(server, user.token);
    for (const name of ['', ' ', 'a\nb', 'x'.repeat(101), 5, null, {}]) {
      expect((await post({ name }, 'read', own.id)).status).toBe(422);
    }
    expect((await post({ name: 'x', prefix: 'a/' }, 'write', own.id)).status).toBe(422);
    const unknown = { name: 'x', names: 'y' } as never;
    expect((await post(unknown, 'read', own.id)).status).toBe(400);
    expect(await list(own.id)).toEqual([]);
  });

  test('is in the audit log when it is created and revoked', async () => {
    const own = await createBucket(server, user.token);
    const { id } = await create({ name: 'Deploy' }, 'write', own.id);
    await revoke(id, own.id);
    const rows = await server.db
      .selectFrom('audit_log')
      .select(['action', 'details'])
      .where('subject_id', '=', own.id)
      .orderBy('id')
      .execute();
    expect(rows.map(({ action }) => action)).toEqual([
      'bucket.created',
      'bucket.token-created',
      'bucket.token-revoked',
    ]);
    const details = { owner: user.userId, token: id, token_name: 'Deploy' };
    expect(rows.slice(1).map((row) => JSON.parse(row.details))).toEqual([details, details]);
  });
});

test('of many tokens at once, a bucket lists as many as it may have, and expired ones make room', async () => {
  const { id } = await createBucket(server, user.token);
  const expires = Math.floor(clock() / SECOND) + HOUR / SECOND;
  await create({ name: 'short' }, 'read', id, expires);
  const attempts = Array.from({ length: MAX_ACCESS_TOKENS + 4 }, () =>
    post({ name: 'x' }, 'read', id),
  );
  const statuses = (await Promise.all(attempts)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(MAX_ACCESS_TOKENS - 1);
  expect(statuses.filter((status) => status === 409)).toHaveLength(5);
  passed = HOUR + MINUTE;
  expect(await list(id)).toHaveLength(MAX_ACCESS_TOKENS - 1);
  expect((await post({ name: 'x' }, 'read', id)).status).toBe(200);
  expect((await post({ name: 'x' }, 'read', id)).status).toBe(409);
  passed = 0;
});

test('the last use of a token is written after the request, at most once a minute', async () => {
  const file = await privateFile(bucket);
  const reader = await create({ name: 'reader' });
  const writer = await create({ name: 'writer' }, 'write');
  const lastUsed = async (of: string) => (await list()).find(({ id }) => id === of)?.last_used;
  const usedAt = async () => {
    // Within a second, a URL is answered from a cache.
    expect((await fetch(`${file.url}?jwt=${reader.jwt}&v=${clock()}`)).status).toBe(200);
    await accessTokens.writeUses();
    return lastUsed(reader.id);
  };
  expect(await lastUsed(reader.id)).toBeNull();
  const first = await usedAt();
  expect(first).toBeString();
  expect(await usedAt()).toBe(first as string);
  passed = MINUTE;
  expect(await usedAt()).not.toBe(first as string);
  passed = 0;
  expect(await lastUsed(writer.id)).toBeNull();
  expect((await upload(writer.jwt)).status).toBe(201);
  await accessTokens.writeUses();
  expect(await lastUsed(writer.id)).toBeString();
});
