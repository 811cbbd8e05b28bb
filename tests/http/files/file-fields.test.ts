import { afterAll, expect, test } from 'bun:test';
import type { FileWire, FolderPageWire } from '../../../server/contract/wire.ts';
import { createBucket, form, signUp } from '../../support/client/api.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { startServerInProcess } from '../../support/server/in-process-server.ts';

let now = Date.UTC(2026, 0, 1);
const server = await startServerInProcess({}, { clock: () => now });
afterAll(() => server.stop());
const user = await signUp(server);
const bucket = await createBucket(server, user.token);
const key = { 'x-api-key': bucket.api_key };

async function put(path: string): Promise<FileWire> {
  const response = await fetch(`${server.url}/files/upload/file/${bucket.id}`, {
    method: 'POST',
    body: form({ path }, new Blob([path]), 'a.txt'),
    headers: key,
  });
  expect(response.status).toBe(201);
  return (await response.json()) as FileWire;
}
const patch = (id: string, change: unknown, headers: Record<string, string> = key) =>
  fetch(`${server.url}/files/${bucket.id}/${id}`, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(change),
  });
async function change(id: string, fields: unknown): Promise<FileWire> {
  const response = await patch(id, fields);
  expect(response.status).toBe(200);
  return (await response.json()) as FileWire;
}
const detail = async (id: string) =>
  (await (
    await fetch(`${server.url}/files/${bucket.id}/${id}`, { headers: key })
  ).json()) as FileWire;
const statusOf = async (url: string | null) => (await fetch(url ?? '')).status;

test('a file expires at its moment: it is not delivered from then on, and deleted soon after', async () => {
  const [file, kept] = [await put('expiry/a.txt'), await put('expiry/kept.txt')];
  const at = new Date(now + 60_000).toISOString();
  expect((await change(file.id, { expires_at: at })).expires_at).toBe(at);
  expect((await change(kept.id, { expires_at: at })).expires_at).toBe(at);
  expect((await change(kept.id, { expires_at: null })).expires_at).toBeNull();
  now += 59_999;
  const response = await fetch(file.url ?? '');
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache']);
  expect(await statusOf(file.path_url)).toBe(200);
  now += 1;
  expect(await statusOf(file.url)).toBe(404);
  expect(await statusOf(file.path_url)).toBe(404);
  await server.services.housekeeping.round();
  const url = `${server.url}/files/folder/${bucket.id}?prefix=expiry/`;
  const { data } = (await (await fetch(url, { headers: key })).json()) as FolderPageWire;
  expect(data.map(({ id }) => id)).toEqual([kept.id]);
  expect(await statusOf(kept.url)).toBe(200);
  expect(await findingsOf(server.config)).toEqual([]);
});

test('metadata and access are kept with the file, moved along and told to the webhook', async () => {
  const { db } = server;
  const hook = { webhook: 'https://hooks.example/' };
  await db.updateTable('buckets').set(hook).where('id', '=', bucket.id).execute();
  const file = await put('fields/a.txt');
  expect(file).toMatchObject({ metadata: {}, expires_at: null, access: 'public' });
  expect(await statusOf(file.url)).toBe(200);
  const metadata = { album: 'Sümmer "26"', 'x.y': '' };
  const changed = { metadata, access: 'private', path: 'fields/b.txt' } as const;
  expect(await change(file.id, changed)).toMatchObject(changed);
  expect(await detail(file.id)).toMatchObject(changed);
  expect(await statusOf(file.url)).toBe(401);
  expect((await change(file.id, { access: 'public' })).metadata).toEqual(metadata);
  expect(await statusOf(file.url)).toBe(200);
  expect((await change(file.id, { metadata: {} })).metadata).toEqual({});
  // The clock stands still, so the webhooks have no order.
  const rows = await db
    .selectFrom('webhook_deliveries')
    .select(['type', 'body'])
    .where('type', '!=', 'file.success')
    .execute();
  const told = rows.map(({ type, body }) => `${type} ${JSON.parse(body).data.file.metadata.album}`);
  expect(told.sort()).toEqual([
    'file.moved undefined',
    ...[metadata.album, metadata.album, undefined].map((album) => `file.updated ${album}`),
  ]);
  await db.updateTable('buckets').set({ webhook: '' }).where('id', '=', bucket.id).execute();
});

test('a wrong field, or a path that is taken, changes none of the fields', async () => {
  const [file] = [await put('same/a.txt'), await put('same/taken.txt')];
  const metadata = { a: 'b' };
  for (const wrong of [
    {},
    { expires_at: new Date(now).toISOString() },
    ...['soon', 7, '2030-02-30T00:00:00Z'].map((expires_at) => ({ expires_at, metadata })),
    ...['x', [], null, { a: 1 }, { a: null }, { a: 'x'.repeat(2048) }].map((value) => ({
      metadata: value,
      access: 'private',
    })),
    { access: 'hidden', metadata },
    { access: null },
    { path: '', metadata },
  ]) {
    expect([wrong, (await patch(file.id, wrong)).status]).toEqual([wrong, 422]);
  }
  const taken = await patch(file.id, { path: 'same/taken.txt', metadata, access: 'private' });
  expect(taken.status).toBe(409);
  const stranger = await signUp(server);
  expect((await patch(file.id, { metadata }, stranger.authorization)).status).toBe(404);
  expect(await detail(file.id)).toMatchObject({
    ...{ metadata: {}, access: 'public', expires_at: null, path: 'same/a.txt' },
  });
});
