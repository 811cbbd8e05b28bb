import { expect, test } from 'bun:test';
import type { FileWire, FolderJobWire } from '../../../server/contract/wire.ts';
import { createBucket, createToken, form } from '../../support/client/api.ts';
import { until, warm } from '../../support/client/wait.ts';
import { groupServerInProcess } from '../../support/server/group-server.ts';
import { withBucket } from '../../support/server/server.ts';

const { server, user } = await withBucket(await groupServerInProcess());

type Options = { body?: unknown; headers?: Record<string, string> };

/** Creates a bucket that keeps what is deleted, and returns what changes it. */
async function openBucket() {
  const bucket = await createBucket(server, user.token, 'Paths');
  const key = { 'x-api-key': bucket.api_key };
  const send = async (method: string, path: string, { body, headers = key }: Options = {}) => {
    const response = await fetch(server.url + path, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    expect(response.ok).toBe(true);
    return response;
  };
  const retention = { keep_deleted_days: 1, keep_versions: 2 };
  await send('PUT', `/buckets/retention/${bucket.id}`, {
    body: retention,
    headers: user.authorization,
  });
  const put = async (path: string, text: string, fields: Record<string, string> = {}) => {
    const response = await fetch(`${server.url}/files/upload/file/${bucket.id}`, {
      method: 'POST',
      body: form({ path, on_conflict: 'replace', ...fields }, new Blob([text]), 'a.txt'),
      headers: key,
    });
    expect(response.status).toBe(201);
    return (await response.json()) as FileWire;
  };
  const address = (path: string) => `${server.url}/cdn/${bucket.id}/~/${path}`;
  /** Returns what is at a path; null where nothing is. */
  const at = async (path: string) => {
    const response = await fetch(address(path));
    const text = await response.text();
    return response.status === 404 ? null : text;
  };
  /** Requests a path until a cache answers. */
  const warmed = (path: string) => warm(server, address(path));
  return { bucket, send, put, at, warmed };
}

test('a path is answered by the cache', async () => {
  const { put, at, warmed } = await openBucket();
  await put('a.txt', 'one');
  expect(await warmed('a.txt')).toBe(200);
  expect(await at('a.txt')).toBe('one');
});

test('what replaces a file, or comes to a path at which nothing was, is delivered at once', async () => {
  const { put, at, warmed } = await openBucket();
  for (let n = 0; n < 2; n += 1) expect(await at('a.txt')).toBeNull();
  for (let n = 0; n < 5; n += 1) {
    await put('a.txt', `text ${n}`);
    expect(await at('a.txt')).toBe(`text ${n}`);
    expect(await warmed('a.txt')).toBe(200);
  }
});

test('a file that moves is at its new path at once, and at the old one no longer', async () => {
  const { bucket, send, put, at, warmed } = await openBucket();
  const { id } = await put('a.txt', 'moving');
  await warmed('a.txt');
  const move = (path: string) => send('PATCH', `/files/${bucket.id}/${id}`, { body: { path } });
  await move('b.txt');
  expect([await at('a.txt'), await at('b.txt')]).toEqual([null, 'moving']);
  await warmed('b.txt');
  await put('a.txt', 'another');
  expect([await at('a.txt'), await at('b.txt')]).toEqual(['another', 'moving']);
  await warmed('a.txt');
  await send('DELETE', `/files/${bucket.id}/${(await put('a.txt', 'third')).id}`);
  await move('a.txt');
  expect([await at('a.txt'), await at('b.txt')]).toEqual(['moving', null]);
});

test('a deleted file and one that is restored take effect at once, and so does an earlier version', async () => {
  const { bucket, send, put, at, warmed } = await openBucket();
  const old = await put('a.txt', 'old');
  const { id } = await put('a.txt', 'new');
  await warmed('a.txt');
  await send('POST', `/files/${bucket.id}/${old.id}/restore`);
  expect(await at('a.txt')).toBe('old');
  await warmed('a.txt');
  await send('DELETE', `/files/${bucket.id}/${old.id}`);
  expect(await at('a.txt')).toBeNull();
  await send('POST', `/files/${bucket.id}/${old.id}/restore`);
  expect(await at('a.txt')).toBe('old');
  await warmed('a.txt');
  await send('POST', `/files/${bucket.id}/${id}/restore`);
  expect(await at('a.txt')).toBe('new');
});

test('a file that becomes private is not at its path without a token, and neither from a cache', async () => {
  const { bucket, send, put, at, warmed } = await openBucket();
  const { id } = await put('a.txt', 'secret');
  await warmed('a.txt');
  const setAccess = (access: string) =>
    send('PATCH', `/files/${bucket.id}/${id}`, { body: { access } });
  await setAccess('private');
  expect(await at('a.txt')).toBeNull();
  const token = await createToken(server, bucket);
  expect(await at(`a.txt?jwt=${token}`)).toBe('secret');
  await warmed(`a.txt?jwt=${token}`);
  expect(await at('a.txt')).toBeNull();
  await setAccess('public');
  expect(await at('a.txt')).toBe('secret');
});

test('rules of the bucket hold at once for paths that a cache has', async () => {
  const { bucket, send, put, warmed } = await openBucket();
  await put('a.txt', 'ruled');
  await warmed('a.txt');
  await send('PUT', `/buckets/delivery-rules/${bucket.id}`, {
    body: { denied_ips: ['0.0.0.0/0', '::/0'] },
    headers: user.authorization,
  });
  expect((await fetch(`${server.url}/cdn/${bucket.id}/~/a.txt`)).status).toBe(403);
});

test('the files of a folder that moves are at their new paths, and at the old ones no longer', async () => {
  const { bucket, send, put, at, warmed } = await openBucket();
  const names = Array.from({ length: 40 }, (_, n) => `${n}.txt`);
  for (const name of names) await put(`from/${name}`, name);
  for (const name of names) await warmed(`from/${name}`);
  const jobs = `/files/folder-jobs/${bucket.id}`;
  const started = await send('POST', jobs, {
    body: { action: 'move', path: 'from', target: 'to' },
  });
  const { id } = (await started.json()) as FolderJobWire;
  await until(async () => {
    const job = (await (await send('GET', `${jobs}/${id}`)).json()) as FolderJobWire;
    return job.status === 'completed';
  });
  for (const name of names) {
    expect([await at(`from/${name}`), await at(`to/${name}`)]).toEqual([null, name]);
  }
});
