import { describe, expect, test } from 'bun:test';
import { MAX_API_KEYS, MINUTE, SECOND } from '../../../server/contract/limits.ts';
import type { ApiKeyWire, CreatedApiKeyWire } from '../../../server/contract/wire.ts';
import {
  createBucket,
  createToken,
  listFiles,
  signUp,
  uploadFile,
} from '../../support/client/api.ts';
import { FORM_HEADERS, formStart, slowBody } from '../../support/client/slow-body.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

let passed = 0;
const clock = () => Date.now() + passed;
const { server, user, bucket } = await sharedBucketInProcess({}, { clock });
const { apiKeys } = server.services.buckets;
const image = await photo();

type Form = { name?: string; scope?: string; expires?: number };

const call = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
  fetch(server.url + path, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const owner = user.authorization;
const post = (form: Form, id = bucket.id, headers = owner) =>
  call('POST', `/buckets/api-keys/${id}`, headers, { name: 'CI', scope: 'read-write', ...form });
const create = async (form: Form, id = bucket.id) =>
  (await (await post(form, id)).json()) as CreatedApiKeyWire;
const list = async (id = bucket.id) =>
  ((await (await call('GET', `/buckets/api-keys/${id}`, owner)).json()) as { data: ApiKeyWire[] })
    .data;
const remove = (keyId: string, id = bucket.id, headers = owner) =>
  call('DELETE', `/buckets/api-keys/${id}/${keyId}`, headers);

const use = (api_key: string, method = 'GET', path = `/files/${bucket.id}`) =>
  call(method, path, { 'x-api-key': api_key });
const upload = (api_key: string) => {
  const body = new FormData();
  body.set('access', 'private');
  body.set('file', new File([new Uint8Array(image)], 'a.jpg'));
  const path = `${server.url}/files/upload/image/${bucket.id}`;
  return fetch(path, { method: 'POST', headers: { 'x-api-key': api_key }, body });
};
const mint = (api_key: string, scope: string) =>
  call('POST', `/buckets/jwt/${bucket.id}/0/${scope}`, { 'x-api-key': api_key });

describe('another key of a bucket', () => {
  test('is shown once, and listed after the primary one without it', async () => {
    const created = await create({ name: ' Backup ', scope: 'read' });
    expect(created).toMatchObject({ name: 'Backup', scope: 'read', is_primary: false });
    expect(created).toMatchObject({ expires: null, last_used: null });
    const listed = await (await call('GET', `/buckets/api-keys/${bucket.id}`, owner)).text();
    expect(listed).not.toContain('whf_');
    const [primary, ...others] = await list();
    expect(primary).toMatchObject({ id: bucket.id, is_primary: true, scope: 'read-write' });
    const { api_key, ...info } = created;
    expect(others).toContainEqual(info);
    const rows = JSON.stringify(await server.db.selectFrom('api_keys').selectAll().execute());
    expect(rows).not.toContain(api_key);
  });

  test('does what its scope says, and nothing else', async () => {
    const file = await uploadFile(server, bucket, 'image', { access: 'public' }, image, 'a.jpg');
    const detail = `/files/${bucket.id}/${file.id}`;
    const statuses = async (scope: string) => {
      const { api_key } = await create({ scope });
      return {
        list: (await use(api_key)).status,
        detail: (await use(api_key, 'GET', detail)).status,
        chart: (await use(api_key, 'GET', `/buckets/chart/${bucket.id}`)).status,
        readToken: (await mint(api_key, 'read')).status,
        upload: (await upload(api_key)).status,
        progress: (await use(api_key, 'GET', `/files/upload/image/${bucket.id}/none`)).status,
        retry: (await use(api_key, 'POST', `${detail}/retry`)).status,
        delete: (await use(api_key, 'DELETE', `/files/${bucket.id}/none`)).status,
        writeToken: (await mint(api_key, 'write')).status,
      };
    };
    const reads = (status: number) => ({
      list: status,
      detail: status,
      chart: status,
      readToken: status,
    });
    const writes = { upload: 201, progress: 404, retry: 409, delete: 404, writeToken: 200 };
    const refused = { upload: 403, progress: 403, retry: 403, delete: 403, writeToken: 403 };
    expect(await statuses('read')).toEqual({ ...reads(200), ...refused });
    expect(await statuses('write')).toEqual({ ...reads(403), ...writes });
    expect(await statuses('read-write')).toEqual({ ...reads(200), ...writes });
    expect(await (await upload((await create({ scope: 'read' })).api_key)).text()).toBe(
      'This API key can only read. Use a key that can write.',
    );
  });

  test('is of no use after its deletion, and so are its tokens, but not those of other keys', async () => {
    const file = await uploadFile(server, bucket, 'image', { access: 'private' }, image, 'a.jpg');
    const [lost, kept] = [await create({ name: 'lost' }), await create({ name: 'kept' })];
    const tokens = async (api_key: string) => ({
      read: await createToken(server, { id: bucket.id, api_key }),
      write: await createToken(server, { id: bucket.id, api_key }, { scope: 'write' }),
      ofList: (await listFiles(server, { id: bucket.id, api_key })).jwt,
    });
    const [ofLost, ofKept] = [await tokens(lost.api_key), await tokens(kept.api_key)];
    const opened = async (jwts: string[]) =>
      Promise.all(jwts.map(async (jwt) => (await fetch(`${file.url}?jwt=${jwt}`)).status));
    expect(await opened([ofLost.read, ofLost.ofList])).toEqual([200, 200]);
    expect((await remove(lost.id)).status).toBe(204);
    expect((await remove(lost.id)).status).toBe(404);
    expect([(await use(lost.api_key)).status, (await upload(lost.api_key)).status]).toEqual([
      401, 401,
    ]);
    expect(await opened([ofLost.read, ofLost.ofList])).toEqual([403, 403]);
    expect((await upload(ofLost.write)).status).toBe(401);
    expect(await opened([ofKept.read, ofKept.ofList])).toEqual([200, 200]);
    expect((await upload(ofKept.write)).status).toBe(201);
    expect((await upload(kept.api_key)).status).toBe(201);
    expect((await use(bucket.api_key)).status).toBe(200);
  });

  test('whose deletion comes while it uploads ends the upload', async () => {
    const { id, api_key } = await create({ scope: 'write' });
    const { body } = slowBody(formStart({ access: 'public' }), image.subarray(0, 1000));
    const response = fetch(`${server.url}/files/upload/image/${bucket.id}`, {
      method: 'POST',
      headers: { ...FORM_HEADERS, 'x-api-key': api_key },
      body,
    });
    await remove(id);
    expect((await response).status).toBe(401);
  });

  test('goes on working when the primary key is regenerated', async () => {
    const own = await createBucket(server, user.token);
    const { api_key } = await create({}, own.id);
    await call('PUT', `/buckets/roll/api-key/${own.id}`, owner);
    const path = `/files/${own.id}`;
    expect((await use(own.api_key, 'GET', path)).status).toBe(401);
    expect((await use(api_key, 'GET', path)).status).toBe(200);
  });

  test('neither sees nor continues the uploads of another one', async () => {
    const [one, other] = [await create({}), await create({})];
    const headers = { 'tus-resumable': '1.0.0', 'upload-length': '10' };
    const path = `/files/tus/${bucket.id}`;
    const created = await call('POST', path, { ...headers, 'x-api-key': one.api_key });
    const { pathname } = new URL(created.headers.get('location') ?? '', server.url);
    const status = async (api_key: string) =>
      (await call('HEAD', pathname, { ...headers, 'x-api-key': api_key })).status;
    expect(await status(one.api_key)).toBe(200);
    expect(await status(other.api_key)).toBe(404);
    expect(await status(bucket.api_key)).toBe(404);
  });

  test('expires, and what it creates does so with it', async () => {
    const expires = Math.floor(clock() / SECOND) + 60;
    const { id, api_key } = await create({ expires });
    expect((await list()).find((key) => key.id === id)?.expires).toBe(
      new Date(expires * SECOND).toISOString(),
    );
    const jwt = await createToken(server, { id: bucket.id, api_key });
    const [, claims = ''] = jwt.split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ exp: expires });
    passed += MINUTE;
    const expired = await use(api_key);
    expect([expired.status, await expired.text()]).toEqual([401, 'The API key has expired.']);
    passed = 0;
    expect((await post({ expires: Math.floor(clock() / SECOND) })).status).toBe(422);
  });

  test('is created and deleted by the owner alone, and the primary one is never deleted', async () => {
    const { id, api_key } = await create({});
    const stranger = (await signUp(server)).authorization;
    const key = { 'x-api-key': api_key };
    expect((await post({}, bucket.id, stranger)).status).toBe(404);
    expect((await remove(id, bucket.id, stranger)).status).toBe(404);
    expect((await post({}, bucket.id, key as never)).status).toBe(401);
    expect((await remove(id, bucket.id, key as never)).status).toBe(401);
    expect((await remove(bucket.id)).status).toBe(404);
    const other = await createBucket(server, user.token);
    expect((await remove(id, other.id)).status).toBe(404);
    expect((await use(api_key, 'GET', `/files/${other.id}`)).status).toBe(404);
    expect((await use(api_key)).status).toBe(200);
  });

  test('is refused with a bad name, scope or expiry', async () => {
    const forms = [{ name: '' }, { name: ' ' }, { name: 'a\nb' }, { scope: 'all' }];
    for (const form of [...forms, { expires: -1 }, { expires: 1.5 }, { expires: 1e13 }]) {
      expect((await post(form)).status).toBe(422);
    }
  });

  test('is in the audit log when it is created and deleted', async () => {
    const own = await createBucket(server, user.token);
    const key = await create({ name: 'Deploy' }, own.id);
    await remove(key.id, own.id);
    const rows = await server.db
      .selectFrom('audit_log')
      .select(['action', 'details'])
      .where('subject_id', '=', own.id)
      .orderBy('id')
      .execute();
    expect(rows.map(({ action }) => action)).toEqual([
      'bucket.created',
      'bucket.key-created',
      'bucket.key-deleted',
    ]);
    const details = { owner: user.userId, key: key.id, key_name: 'Deploy' };
    expect(rows.slice(1).map((row) => JSON.parse(row.details))).toEqual([details, details]);
  });

  test('is in the audit log where it deletes a file', async () => {
    const { id: keyId, api_key } = await create({});
    const { id } = (await (await upload(api_key)).json()) as { id: string };
    expect((await use(api_key, 'DELETE', `/files/${bucket.id}/${id}`)).status).toBe(204);
    const entry = server.db.selectFrom('audit_log').select(['actor', 'actor_id']);
    expect(await entry.where('subject_id', '=', id).executeTakeFirst()).toEqual({
      actor: 'key',
      actor_id: keyId,
    });
  });
});

test('of many keys at once, a bucket gets as many as it may have', async () => {
  const { id } = await createBucket(server, user.token);
  const attempts = Array.from({ length: MAX_API_KEYS + 5 }, () => post({}, id));
  const statuses = (await Promise.all(attempts)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(MAX_API_KEYS);
  expect(statuses.filter((status) => status === 409)).toHaveLength(5);
  expect(await list(id)).toHaveLength(MAX_API_KEYS + 1);
});

test('the last use of a key is written after the request, at most once a minute', async () => {
  const { id, api_key } = await create({});
  const lastUsed = async () => (await list()).find((key) => key.id === id)?.last_used;
  const usedAt = async () => {
    await use(api_key);
    await apiKeys.writeUses();
    return lastUsed();
  };
  expect(await lastUsed()).toBeNull();
  const first = await usedAt();
  expect(first).toBeString();
  expect(await usedAt()).toBe(first as string);
  passed = MINUTE;
  expect(await usedAt()).not.toBe(first as string);
  passed = 0;
});
