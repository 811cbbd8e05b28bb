import { expect, test } from 'bun:test';
import type { BulkResultWire, FileWire } from '../../../server/contract/wire.ts';
import { createBucket, createToken, form, signUp } from '../../support/client/api.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedServerInProcess } from '../../support/server/in-process-server.ts';

const server = await sharedServerInProcess();
const user = await signUp(server);
const bucket = await createBucket(server, user.token);
const stranger = await signUp(server);
const theirs = await createBucket(server, stranger.token);
const key = { 'x-api-key': bucket.api_key };
await server.db.updateTable('buckets').set({ keep_deleted_days: 7 }).execute();

async function put(path: string, { id, api_key } = bucket): Promise<FileWire> {
  const response = await fetch(`${server.url}/files/upload/file/${id}`, {
    method: 'POST',
    body: form({ path, access: 'public' }, new Blob([path]), 'a.txt'),
    headers: { 'x-api-key': api_key },
  });
  expect(response.status).toBe(201);
  return (await response.json()) as FileWire;
}
async function deleted(path: string, of = bucket): Promise<FileWire> {
  const file = await put(path, of);
  const response = await fetch(`${server.url}/files/${of.id}/${file.id}`, {
    method: 'DELETE',
    headers: { 'x-api-key': of.api_key },
  });
  expect(response.status).toBe(204);
  return file;
}
const send = (name: string, body: unknown, headers: Record<string, string> = key) =>
  fetch(`${server.url}/files/bulk/${name}/${bucket.id}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
async function codesOf(name: string, body: unknown): Promise<(string | null)[]> {
  const response = await send(name, body);
  expect(response.status).toBe(200);
  const { data } = (await response.json()) as BulkResultWire;
  return data.map(({ error }) => error?.code ?? null);
}
const trash = async () => {
  const response = await fetch(`${server.url}/files/trash/${bucket.id}`, { headers: key });
  const { data } = (await response.json()) as { data: FileWire[] };
  return data.map(({ path }) => path).sort();
};
const foreign = await deleted('foreign.txt', theirs);
const UNKNOWN = '0'.repeat(26);

test('many deleted files are restored, and the others of the call are named with the reason', async () => {
  const [one, two, taken] = [
    await deleted('1.txt'),
    await deleted('2.txt'),
    await deleted('3.txt'),
  ];
  await put('3.txt');
  const ids = [one.id, two.id, one.id, taken.id, foreign.id, UNKNOWN];
  expect(await codesOf('restore', { ids })).toEqual([
    ...[null, null, 'path-taken', 'not-found', 'not-found'],
  ]);
  expect(await (await fetch(two.url ?? '')).text()).toBe('2.txt');
  expect(await trash()).toEqual(['3.txt']);
  expect(await codesOf('restore', { ids: [taken.id], on_conflict: 'rename' })).toEqual([null]);
  expect(await trash()).toEqual([]);
  expect(await findingsOf(server.config)).toEqual([]);
});

test('many deleted files are purged, and no file that is not in the trash', async () => {
  const [one, two, kept] = [await deleted('a.txt'), await deleted('b.txt'), await put('c.txt')];
  const ids = [one.id, two.id, kept.id, foreign.id];
  expect(await codesOf('purge', { ids })).toEqual([null, null, 'not-found', 'not-found']);
  expect(await trash()).toEqual([]);
  expect((await fetch(kept.url ?? '')).status).toBe(200);
  expect(await codesOf('restore', { ids: [one.id] })).toEqual(['not-found']);
  expect(await findingsOf(server.config)).toEqual([]);
});

test('nobody else restores or purges, and no more than 1,000 files', async () => {
  const file = await deleted('mine.txt');
  const body = { ids: [file.id] };
  const write = await createToken(server, bucket, { scope: 'write' });
  for (const name of ['restore', 'purge']) {
    expect((await send(name, body, stranger.authorization)).status).toBe(404);
    expect((await send(name, body, { 'x-api-key': theirs.api_key })).status).toBe(404);
    expect((await send(name, body, { authorization: `Bearer ${write}` })).status).toBe(401);
    expect((await send(name, body, {})).status).toBe(401);
    const many = Array.from({ length: 1001 }, (_, n) => String(n).padStart(26, '0'));
    expect((await send(name, { ids: many })).status).toBe(422);
    expect((await send(name, { ids: [] })).status).toBe(422);
  }
  expect(await trash()).toEqual(['mine.txt']);
});
