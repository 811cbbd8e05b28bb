import { expect, test } from 'bun:test';
import type { FilePageWire, FileWire, FolderPageWire } from '../../../server/contract/wire.ts';
import { bucketCounters } from '../../../server/features/buckets/service.ts';
import { createBucket, createToken, form, requestCode, signUp } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedServer } from '../../support/server/server.ts';

const server = await sharedServer();
const user = await signUp(server);
const bucket = await createBucket(server, user.token);
const key = { 'x-api-key': bucket.api_key };
const base = `${server.url}/files/folder/${bucket.id}`;

const create = (path: unknown, headers: Record<string, string> = key) =>
  fetch(base, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ path }),
  });
const remove = (path: string, headers: Record<string, string> = key) =>
  fetch(`${base}?${new URLSearchParams({ path })}`, { method: 'DELETE', headers });
async function list(prefix: string, query: Record<string, string> = {}) {
  const response = await fetch(`${base}?${new URLSearchParams({ prefix, ...query })}`, {
    headers: key,
  });
  const { folders, data } = (await response.json()) as FolderPageWire;
  return [...folders, ...data.map(({ path }) => path)];
}
async function put(path: string): Promise<FileWire> {
  const response = await fetch(`${server.url}/files/upload/file/${bucket.id}`, {
    method: 'POST',
    body: form({ path }, new Blob([path]), 'a.txt'),
    headers: key,
  });
  expect(response.status).toBe(201);
  return (await response.json()) as FileWire;
}

test('a folder that is created is listed before, while and after it has files, until it is deleted', async () => {
  const created = await create('empty/deep');
  expect([created.status, await created.json()]).toEqual([200, { path: 'empty/deep/' }]);
  expect((await create('empty/deep/')).status).toBe(200);
  expect(await list('')).toContain('empty/');
  expect(await list('empty/')).toEqual(['empty/deep/']);
  for (const query of [{}, { order: 'desc' }, { sort: 'size' }, { sort: 'date' }]) {
    expect(await list('empty/deep/', query as Record<string, string>)).toEqual([]);
  }
  const file = await put('empty/deep/a.txt');
  expect(await list('empty/deep/')).toEqual(['empty/deep/a.txt']);
  const refused = await remove('empty/deep');
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([409, 'conflict']);
  await fetch(`${server.url}/files/${bucket.id}/${file.id}`, { method: 'DELETE', headers: key });
  expect(await list('empty/')).toEqual(['empty/deep/']);
  expect((await remove('empty/deep/')).status).toBe(204);
  expect(await list('empty/')).toEqual([]);
  expect((await remove('empty/deep/')).status).toBe(404);
});

test('a folder that is created is no file: not in lists, counts and usage, by its id and at its path', async () => {
  const other = await createBucket(server, user.token);
  const url = `${server.url}/files/folder/${other.id}`;
  const headers = { 'x-api-key': other.api_key, 'content-type': 'application/json' };
  await fetch(url, { method: 'POST', headers, body: JSON.stringify({ path: 'only' }) });
  const { db } = server;
  const row = await db
    .selectFrom('files')
    .select('id')
    .where('bucket_id', '=', other.id)
    .executeTakeFirstOrThrow();
  for (const query of [
    '',
    'sort=name',
    'sort=size',
    'q=only',
    'prefix=only/',
    'sort=name&q=only',
  ]) {
    const page = await fetch(`${server.url}/files/${other.id}?${query}`, { headers });
    expect([query, ((await page.json()) as FilePageWire).data]).toEqual([query, []]);
  }
  const counts = await db
    .selectFrom('buckets')
    .select(bucketCounters)
    .where('id', '=', other.id)
    .executeTakeFirst();
  expect(counts).toEqual({ usage: 0, total_uploads: 0 });
  const call = (method: string, body?: string) =>
    fetch(`${server.url}/files/${other.id}/${row.id}`, { method, headers, ...(body && { body }) });
  expect((await call('GET')).status).toBe(404);
  expect((await call('PATCH', '{"path":"x"}')).status).toBe(404);
  expect((await call('DELETE')).status).toBe(404);
  for (const path of [`${row.id}/only`, '~/only/', '~/only']) {
    expect((await fetch(`${server.url}/cdn/${other.id}/${path}`)).status).toBe(404);
  }
  expect(await findingsOf(server.config)).toEqual([]);
  // The deletion of the bucket takes its folders along.
  const email_token = await requestCode(server, user, 'delete-bucket', { bucket_id: other.id });
  const deletion = await user.client.fetch(`/buckets/${other.id}`, {
    method: 'DELETE',
    headers: { ...user.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ email_token }),
  });
  expect(deletion.status).toBe(204);
  await until(async () => {
    const left = await db
      .selectFrom('buckets')
      .select('id')
      .where('id', '=', other.id)
      .executeTakeFirst();
    return left === undefined;
  });
  expect(await findingsOf(server.config)).toEqual([]);
});

test('wrong folders and callers without the right are refused', async () => {
  for (const path of ['', '/', '/a', 'a//b', '../a', 'a/..', 'x'.repeat(513), 7, null]) {
    expect([path, (await create(path)).status]).toEqual([path, 422]);
  }
  for (const path of ['', '/', 'a//b']) expect((await remove(path)).status).toBe(422);
  await create('mine');
  const stranger = await signUp(server);
  const token = await createToken(server, bucket, { scope: 'write' });
  for (const [headers, status] of [
    [stranger.authorization, 404],
    [{ authorization: `Bearer ${token}` }, 401],
    [{}, 401],
  ] as const) {
    expect((await create('theirs', headers)).status).toBe(status);
    expect((await remove('mine', headers)).status).toBe(status);
  }
  expect(await list('')).toContain('mine/');
  expect(await list('')).not.toContain('theirs/');
});
