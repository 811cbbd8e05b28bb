import { describe, expect, test } from 'bun:test';
import { VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import type { BucketWire, FileWire } from '../../../server/contract/wire.ts';
import { createBucket, createToken, form, listFiles, signUp } from '../../support/client/api.ts';
import { locationOf, speakTus } from '../../support/client/tus.ts';
import { clip, clipOfSize, photo } from '../../support/fixtures/make-media.ts';
import { groupServer } from '../../support/server/group-server.ts';
import { tracesOf } from '../../support/server/stored-objects.ts';

const server = await groupServer();
const user = await signUp(server);
const { refused } = tracesOf(server);
const blob = (bytes: Uint8Array) => new Blob([bytes as never]);

/** A bucket of its own for each test, with its rules. */
async function openBucket(rules: Record<string, unknown>) {
  const bucket = await createBucket(server, user.token);
  const key: Record<string, string> = { 'x-api-key': bucket.api_key };
  const set = (body: unknown, headers: Record<string, string> = user.authorization) =>
    fetch(`${server.url}/buckets/upload-rules/${bucket.id}`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const details = async () =>
    (await (
      await fetch(`${server.url}/buckets/${bucket.id}`, { headers: user.authorization })
    ).json()) as BucketWire;
  const saved = await set(rules);
  expect(saved.status).toBe(200);
  expect((await saved.json()) as BucketWire).toMatchObject(rules);

  const post = (kind: string, body: FormData, headers = key) =>
    fetch(`${server.url}/files/upload/${kind}/${bucket.id}`, { method: 'POST', body, headers });
  const chunk = (bytes: Uint8Array, number = 0, total = 1, client_id = crypto.randomUUID()) => {
    const fields = { client_id, chunk_number: String(number), total_chunks: String(total) };
    return post('video', form(fields, blob(bytes), 'a.mp4'));
  };
  const tus = speakTus(server, bucket);
  /** Sends a file in one of the ways in which it can arrive. */
  const ways: Record<string, (bytes: Uint8Array) => Promise<Response>> = {
    image: (bytes) => post('image', form({}, blob(bytes), 'a.jpg')),
    file: (bytes) => post('file', form({}, blob(bytes), 'a.jpg')),
    token: async (bytes) => {
      const token = await createToken(server, bucket, { scope: 'write' });
      const headers = { authorization: `Bearer ${token}` };
      return post('file', form({}, blob(bytes), 'a.jpg'), headers);
    },
    chunk: (bytes) => chunk(bytes),
    tus: async (bytes) => {
      const created = await tus.create(bytes.length, { filename: 'a.jpg' });
      return created.ok ? tus.patch(locationOf(created), 0, bytes) : created;
    },
    'tus of unknown length': async (bytes) => {
      const created = await tus.call('POST', tus.endpoint, { 'upload-defer-length': '1' });
      const length = { 'upload-length': String(bytes.length) };
      return tus.patch(locationOf(created), 0, bytes, length);
    },
    'tus that never says its length': async (bytes) => {
      const created = await tus.call('POST', tus.endpoint, { 'upload-defer-length': '1' });
      return tus.patch(locationOf(created), 0, bytes);
    },
  };
  const send = (way: string, bytes: Uint8Array) => {
    const by = ways[way];
    if (!by) throw new Error(`There is no way ${way}.`);
    return by(bytes);
  };
  return { bucket, key, set, details, post, chunk, send };
}

const PICTURES = [
  ...['image', 'file', 'token', 'tus', 'tus of unknown length'],
  'tus that never says its length',
];
const EVERY_WAY = [...PICTURES, 'chunk'];
const sample = (way: string) => (way === 'chunk' ? clip() : photo());
const codeOf = ({ headers }: Response) => headers.get('x-error-code');

describe.each(EVERY_WAY)('an upload by %s', (way) => {
  test('of a type that its bucket does not accept is refused, and leaves nothing', async () => {
    const { details, send, set } = await openBucket({
      allowed_types: ['application/pdf', 'audio/*'],
    });
    const bytes = await sample(way);
    const type = way === 'chunk' ? 'video/mp4' : 'image/jpeg';
    const text = `This bucket only accepts application/pdf, audio/*. The file is ${type}.`;
    await refused(() => send(way, bytes), 415, text);
    expect(codeOf(await send(way, bytes))).toBe('type-refused');
    expect(await details()).toMatchObject({ usage: 0, total_uploads: 0 });
    for (const allowed of [type, `${type.split('/')[0]}/*`]) {
      expect((await set({ allowed_types: [allowed] })).status).toBe(200);
      expect((await send(way, bytes)).ok).toBe(true);
    }
  });

  test('that is one byte larger than its bucket accepts is refused, and leaves nothing', async () => {
    const bytes = await sample(way);
    const { details, send, set } = await openBucket({ max_file_bytes: bytes.length - 1 });
    await refused(() => send(way, bytes), 413, /larger than|at most/);
    expect(codeOf(await send(way, bytes))).toBe('too-large');
    expect(await details()).toMatchObject({ usage: 0, total_uploads: 0 });
    expect((await set({ max_file_bytes: bytes.length })).status).toBe(200);
    expect((await send(way, bytes)).ok).toBe(true);
  });

  test('for which its bucket lacks one byte is refused, and leaves nothing', async () => {
    const bytes = await sample(way);
    const { details, send, set } = await openBucket({ storage_limit: bytes.length - 1 });
    await refused(() => send(way, bytes), 403, /exceed the bucket's storage limit/);
    expect(codeOf(await send(way, bytes))).toBe('bucket-full');
    expect(await details()).toMatchObject({ usage: 0, total_uploads: 0 });
    expect((await set({ storage_limit: bytes.length })).status).toBe(200);
    expect((await send(way, bytes)).ok).toBe(true);
  });
});

test('all chunks of a video go when the last one makes it too large', async () => {
  const video = await clipOfSize(VIDEO_CHUNK_BYTES + 1000);
  const { chunk, details } = await openBucket({ max_file_bytes: video.length - 1 });
  const id = crypto.randomUUID();
  const both = async () => {
    expect((await chunk(video.subarray(0, VIDEO_CHUNK_BYTES), 0, 2, id)).status).toBe(202);
    return chunk(video.subarray(VIDEO_CHUNK_BYTES), 1, 2, id);
  };
  await refused(both, 413, /at most/);
  // Its other chunks can't be fewer bytes than that.
  await refused(() => chunk(video.subarray(0, VIDEO_CHUNK_BYTES), 0, 3), 413, /at most/);
  expect(await details()).toMatchObject({ usage: 0, total_uploads: 0 });
});

test('of uploads at the same time only those are stored that fit into the bucket', async () => {
  const bytes = new Uint8Array(1000);
  const { bucket, details, post } = await openBucket({ storage_limit: 3500 });
  const uploads = Array.from({ length: 12 }, () => post('file', form({}, blob(bytes), 'a.bin')));
  const statuses = (await Promise.all(uploads)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(3);
  expect(statuses.filter((status) => status === 403)).toHaveLength(9);
  expect((await listFiles(server, bucket)).data).toHaveLength(3);
  expect(await details()).toMatchObject({ usage: 3000, total_uploads: 3 });
});

test('a file is judged by its bytes, whatever its name and the client say', async () => {
  const { post } = await openBucket({ allowed_types: ['application/pdf', 'image/*'] });
  const named = (name: string, text: string) =>
    post('file', form({}, new Blob([text], { type: 'image/png' }), name));
  const page = '<!doctype html><script>alert(1)</script>';
  await refused(() => named('a.png', page), 415, 'The file is text/plain');
  await refused(() => named('a.pdf', 'PK\x03\x04\x14\0\0\0\0\0'), 415, 'application/zip');
  const stored = await named('a.txt', '%PDF-1.7\n');
  expect(stored.status).toBe(201);
  expect(((await stored.json()) as FileWire).content_type).toBe('application/pdf');
});

test('a refused replacement leaves the file at the path as it was', async () => {
  const { bucket, post, set } = await openBucket({ max_file_bytes: null });
  const put = (text: string) =>
    post('file', form({ path: 'a.txt', on_conflict: 'replace' }, new Blob([text]), 'a.txt'));
  expect((await put('one')).status).toBe(201);
  await set({ max_file_bytes: 3 });
  await refused(() => put('four'), 413, /larger than|at most/);
  const [file] = (await listFiles(server, bucket)).data;
  expect(await (await fetch(file?.url ?? '')).text()).toBe('one');
});

test('rules that are none are refused and change nothing; those that are left out stay', async () => {
  const rules = { allowed_types: ['image/*'], max_file_bytes: 5, storage_limit: 10 };
  const { set, details, key } = await openBucket(rules);
  for (const wrong of [
    {},
    { allowed_types: 'image/*' },
    { allowed_types: ['*/*'] },
    { allowed_types: ['image'] },
    { allowed_types: ['image/png, text/plain'] },
    { allowed_types: Array.from({ length: 51 }, (_, i) => `a/b${i}`) },
    { max_file_bytes: 0 },
    { max_file_bytes: 1.5 },
    { max_file_bytes: 'x' },
    { storage_limit: -1 },
    { storage_limit: 2 ** 60 },
  ]) {
    const response = await set(wrong);
    expect([response.status, wrong]).toEqual([422, wrong]);
  }
  expect((await set({ storage_limit: 1 }, key)).status).toBe(401);
  const stranger = await signUp(server);
  expect((await set({ storage_limit: 1 }, stranger.authorization)).status).toBe(404);
  expect(await details()).toMatchObject(rules);
  expect((await set({ allowed_types: [' IMAGE/PNG ', 'image/png'] })).status).toBe(200);
  expect(await details()).toMatchObject({ ...rules, allowed_types: ['image/png'] });
  expect((await set({ allowed_types: [], max_file_bytes: null })).status).toBe(200);
  const rest = { allowed_types: [], max_file_bytes: null, storage_limit: 10 };
  expect(await details()).toMatchObject(rest);
});
