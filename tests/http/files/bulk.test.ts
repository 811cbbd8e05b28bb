import { expect, test } from 'bun:test';
import type { BulkResultWire, FileWire } from '../../../server/contract/wire.ts';
import { createBucket, createToken, form, signUp } from '../../support/client/api.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedServer } from '../../support/server/server.ts';

const server = await sharedServer();
const user = await signUp(server);
const bucket = await createBucket(server, user.token);
const key = { 'x-api-key': bucket.api_key };

async function put(path: string, { id, api_key } = bucket): Promise<FileWire> {
  const response = await fetch(`${server.url}/files/upload/file/${id}`, {
    method: 'POST',
    body: form({ path }, new Blob([path]), 'a.txt'),
    headers: { 'x-api-key': api_key },
  });
  expect(response.status).toBe(201);
  return (await response.json()) as FileWire;
}
const send = (name: string, body: unknown, headers: Record<string, string> = key) =>
  fetch(`${server.url}/files/bulk/${name}/${bucket.id}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
/** Returns the code of each file's error; null where it was changed. */
async function change(name: string, body: unknown): Promise<Record<string, string | null>> {
  const response = await send(name, body);
  expect(response.status).toBe(200);
  const { data } = (await response.json()) as BulkResultWire;
  return Object.fromEntries(data.map(({ id, error }) => [id, error?.code ?? null]));
}
const open = async (url: string | null) => {
  const response = await fetch(url ?? '');
  return response.ok ? await response.text() : response.status;
};
const putAll = (...paths: string[]) => Promise.all(paths.map((path) => put(path)));
const ids = (files: FileWire[]) => files.map(({ id }) => id);
const changed = (files: FileWire[]) => Object.fromEntries(files.map(({ id }) => [id, null]));

const stranger = await signUp(server);
const foreign = await put('foreign.txt', await createBucket(server, stranger.token));

test('many files are deleted at once, and the others of the call are named with the reason', async () => {
  const files = await putAll(...Array.from({ length: 70 }, (_, n) => `gone/${n}.txt`));
  const unknown = '0'.repeat(26);
  const all = [...ids(files), ...ids(files), unknown, foreign.id];
  expect(await change('delete', { ids: all })).toEqual({
    ...changed(files),
    ...{ [unknown]: 'not-found', [foreign.id]: 'not-found' },
  });
  expect(await Promise.all(files.map(({ url }) => open(url)))).toEqual(files.map(() => 404));
  expect(await open(foreign.url)).toBe('foreign.txt');
  expect(await findingsOf(server.config)).toEqual([]);
});

test('many files are moved into a folder, where none of them replaces another one of the call', async () => {
  const [one, two, same] = await putAll('from/1.txt', 'from/2.txt', 'other/2.txt');
  const [taken] = await putAll('to/1.txt');
  if (!one || !two || !same || !taken) throw new Error('Four files were stored.');
  const body = { ids: ids([one, two, same]), folder: 'to/' };
  const [kept, moved] = [two, same].sort((a, b) => (a.id < b.id ? 1 : -1));
  expect(await change('move', body)).toEqual({
    ...{ [one.id]: 'path-taken', [moved?.id ?? '']: null, [kept?.id ?? '']: 'path-taken' },
  });
  expect(await change('move', { ...body, on_conflict: 'replace' })).toEqual({
    ...{ [one.id]: null, [moved?.id ?? '']: null, [kept?.id ?? '']: 'path-taken' },
  });
  expect(await open(taken.path_url)).toBe('from/1.txt');
  expect(await open(taken.url)).toBe(404);
  expect(await open(kept?.url ?? null)).toBe(kept?.path ?? '');
  expect(await change('move', { ids: [foreign.id, one.id], folder: '' })).toEqual({
    ...{ [foreign.id]: 'not-found', [one.id]: null },
  });
  expect(await open(one.path_url)).toBe(404);
  expect(await findingsOf(server.config)).toEqual([]);
});

test('many files become private, and public again, at once', async () => {
  const { db } = server;
  const hook = { webhook: 'https://hooks.example/' };
  await db.updateTable('buckets').set(hook).where('id', '=', bucket.id).execute();
  const files = await putAll('access/1.txt', 'access/2.txt');
  const all = { ids: [...ids(files), foreign.id] };
  for (const url of files.flatMap(({ url, path_url }) => [url, path_url])) {
    expect(typeof (await open(url))).toBe('string');
  }
  const expected = { ...changed(files), [foreign.id]: 'not-found' };
  expect(await change('access', { ...all, access: 'private' })).toEqual(expected);
  expect(await Promise.all(files.map(({ url }) => open(url)))).toEqual([401, 401]);
  expect(await Promise.all(files.map(({ path_url }) => open(path_url)))).toEqual([404, 404]);
  expect(await open(foreign.url)).toBe('foreign.txt');
  expect(await change('access', { ...all, access: 'private' })).toEqual(expected);
  expect(await change('access', { ...all, access: 'public' })).toEqual(expected);
  expect(await Promise.all(files.map(({ url }) => open(url)))).toEqual(files.map((f) => f.path));
  // A change that changes nothing is told to nobody.
  const rows = await db.selectFrom('webhook_deliveries').select(['type', 'body']).execute();
  const told = rows
    .filter(({ type }) => type === 'file.updated')
    .map(({ body }) => JSON.parse(body).data.file.access);
  expect(told.sort()).toEqual(['private', 'private', 'public', 'public']);
  const actions = await db
    .selectFrom('audit_log')
    .select('action')
    .where('subject_id', 'in', ids(files))
    .where('action', '=', 'file.updated')
    .execute();
  expect(actions).toHaveLength(4);
  await db.updateTable('buckets').set({ webhook: '' }).where('id', '=', bucket.id).execute();
});

test('wrong or too many ids, and callers without the right, change nothing', async () => {
  const file = await put('stays.txt');
  const calls = [
    ['delete', {}],
    ['move', { folder: 'a' }],
    ['access', { access: 'private' }],
  ] as const;
  const token = await createToken(server, bucket, { scope: 'write' });
  for (const [name, body] of calls) {
    const good = [file.id];
    for (const wrong of [[], [7], 'x', undefined, Array.from({ length: 1001 }, () => file.id)]) {
      expect((await send(name, { ...body, ids: wrong })).status).toBe(422);
    }
    expect((await send(name, { ...body, ids: good }, stranger.authorization)).status).toBe(404);
    const upload = { authorization: `Bearer ${token}` };
    expect((await send(name, { ...body, ids: good }, upload)).status).toBe(401);
    expect((await send(name, { ...body, ids: good }, {})).status).toBe(401);
  }
  for (const folder of ['/', '../x', 'a//b', 7]) {
    expect((await send('move', { ids: [file.id], folder })).status).toBe(422);
  }
  expect((await send('access', { ids: [file.id], access: 'secret' })).status).toBe(422);
  expect(await open(file.path_url)).toBe('stays.txt');
});
