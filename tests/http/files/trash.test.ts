import { describe, expect, test } from 'bun:test';
import type {
  BucketDetailWire,
  BucketWire,
  FileWire,
  RemovedFileWire,
  TrashPageWire,
} from '../../../server/contract/wire.ts';
import {
  createBucket,
  createToken,
  form,
  listFiles,
  signUp,
  uploadFile,
} from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedServerInProcess } from '../../support/server/in-process-server.ts';

const server = await sharedServerInProcess();
const user = await signUp(server);
const json = { 'content-type': 'application/json' };

type Options = { headers?: Record<string, string>; body?: unknown };

/** A bucket of its own for each test, with what it keeps. */
async function openBucket(retention: Record<string, unknown>) {
  const bucket = await createBucket(server, user.token);
  const key = { 'x-api-key': bucket.api_key };
  const send = (method: string, path: string, { headers = key, body }: Options = {}) =>
    fetch(`${server.url}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && json) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  const set = (body: unknown, headers: Record<string, string> = user.authorization) =>
    send('PUT', `/buckets/retention/${bucket.id}`, { headers, body });
  const saved = await set(retention);
  expect(saved.status).toBe(200);
  expect((await saved.json()) as BucketWire).toMatchObject(retention);

  const put = async (path: string, text: string, on_conflict = 'replace'): Promise<FileWire> => {
    const body = form({ path, on_conflict }, new Blob([text]), 'a.txt');
    const url = `${server.url}/files/upload/file/${bucket.id}`;
    const response = await fetch(url, { method: 'POST', body, headers: key });
    expect(response.status).toBe(201);
    return (await response.json()) as FileWire;
  };
  const remove = async (id: string) =>
    expect((await send('DELETE', `/files/${bucket.id}/${id}`)).status).toBe(204);
  const restore = (id: string, query = '') =>
    send('POST', `/files/${bucket.id}/${id}/restore${query}`);
  const purge = (id: string, headers = key) =>
    send('DELETE', `/files/trash/${bucket.id}/${id}`, { headers });
  const trash = async (query = '') =>
    (await (await send('GET', `/files/trash/${bucket.id}${query}`)).json()) as TrashPageWire;
  const versions = async (id: string) =>
    (
      (await (await send('GET', `/files/${bucket.id}/${id}/versions`)).json()) as {
        data: RemovedFileWire[];
      }
    ).data;
  const details = async () =>
    (await (
      await send('GET', `/buckets/${bucket.id}`, { headers: user.authorization })
    ).json()) as BucketDetailWire;
  const paths = async () =>
    (await listFiles(server, bucket)).data.map(({ path }) => path).toSorted();
  const all = { bucket, key, send, set, put, remove, restore, purge, trash, versions };
  return { ...all, details, paths };
}

const statusAndCode = ({ status, headers }: Response) => [status, headers.get('x-error-code')];
const textAt = async (url: string | null) => (await fetch(url ?? '')).text();
const statusAt = async (url: string | null) => (await fetch(url ?? '')).status;
const ids = (files: { id: string }[]) => files.map(({ id }) => id);

describe('a bucket that keeps deleted files', () => {
  test('delivers and lists a deleted file nowhere, counts its bytes, and restores it as it was', async () => {
    const { bucket, send, put, remove, restore, trash, details, paths } = await openBucket({
      keep_deleted_days: 30,
    });
    const file = await put('a/one.txt', 'one');
    const other = await put('two.txt', 'two!');
    expect(await textAt(file.url)).toBe('one');
    await remove(file.id);
    expect(await statusAt(file.url)).toBe(404);
    expect(await statusAt(file.path_url)).toBe(404);
    expect(await paths()).toEqual(['two.txt']);
    const found = await send('GET', `/files/folder/${bucket.id}`);
    expect(await found.json()).toMatchObject({ folders: [], data: [{ id: other.id }] });
    for (const sort of ['date', 'name', 'size']) {
      const list = await send('GET', `/files/${bucket.id}?sort=${sort}`);
      expect(await list.json()).toMatchObject({ data: [{ id: other.id }], nextId: null });
    }
    for (const [method, path] of [
      ['GET', `/files/${bucket.id}/${file.id}`],
      ['DELETE', `/files/${bucket.id}/${file.id}`],
      ['GET', `/files/${bucket.id}/${file.id}/versions`],
    ] as const) {
      expect((await send(method, path)).status).toBe(404);
    }
    const moved = await send('PATCH', `/files/${bucket.id}/${file.id}`, { body: { path: 'x' } });
    expect(moved.status).toBe(404);
    expect(await details()).toMatchObject({ usage: 7, total_uploads: 1 });

    const { data, next } = await trash();
    expect(next).toBeNull();
    expect(data).toMatchObject([{ id: file.id, path: 'a/one.txt', size: 3 }]);
    const [gone] = data;
    const days =
      (Date.parse(gone?.delete_at ?? '') - Date.parse(gone?.removed_at ?? '')) / 86_400e3;
    expect(days).toBe(30);
    expect(await findingsOf(server.config)).toEqual([]);

    const restored = await restore(file.id);
    expect(restored.status).toBe(200);
    expect((await restored.json()) as FileWire).toMatchObject({ id: file.id, url: file.url });
    expect(await textAt(file.url)).toBe('one');
    expect(await textAt(file.path_url)).toBe('one');
    expect(await details()).toMatchObject({ usage: 7, total_uploads: 2 });
    expect((await trash()).data).toEqual([]);
    expect((await restore(file.id)).status).toBe(404);
    expect(await findingsOf(server.config)).toEqual([]);
  });

  test('restores a file whose path is taken only under another name', async () => {
    const { put, remove, restore, paths } = await openBucket({ keep_deleted_days: 1 });
    const old = await put('a.txt', 'old');
    await remove(old.id);
    const current = await put('a.txt', 'new', 'error');
    expect(statusAndCode(await restore(old.id))).toEqual([409, 'path-taken']);
    expect((await restore(old.id, '?on_conflict=replace')).status).toBe(422);
    expect((await restore(old.id, '?on_conflict=rename')).status).toBe(200);
    expect(await paths()).toEqual(['a (2).txt', 'a.txt']);
    expect(await textAt(current.path_url)).toBe('new');
    expect(await textAt(old.url)).toBe('old');
  });

  test('deletes one for good, empties the trash, and pages through it, the last one first', async () => {
    const { bucket, send, put, remove, restore, purge, trash, details } = await openBucket({
      keep_deleted_days: 1,
    });
    const files: FileWire[] = [];
    for (const n of [1, 2, 3, 4, 5]) files.push(await put(`${n}.txt`, `${n}`));
    for (const { id } of files) await remove(id);
    const expected = ids(files).toReversed();
    const pages: string[] = [];
    let query = '?limit=2';
    for (;;) {
      const { data, next } = await trash(query);
      pages.push(...ids(data));
      if (next === null) break;
      query = `?limit=2&cursor=${next}`;
    }
    expect(pages).toEqual(expected);
    expect((await send('GET', `/files/trash/${bucket.id}?cursor=x`)).status).toBe(400);
    expect((await send('GET', `/files/trash/${bucket.id}?limit=0`)).status).toBe(422);

    const [first = ''] = expected;
    expect((await purge(first)).status).toBe(204);
    expect((await purge(first)).status).toBe(404);
    expect((await restore(first)).status).toBe(404);
    expect(await details()).toMatchObject({ usage: 4, total_uploads: 0 });
    expect((await send('DELETE', `/files/trash/${bucket.id}`)).status).toBe(204);
    expect((await trash()).data).toEqual([]);
    expect((await restore(expected[1] ?? '')).status).toBe(404);
    await until(async () => {
      await server.services.housekeeping.round();
      return (await details()).usage === 0;
    });
    expect(await findingsOf(server.config)).toEqual([]);
  });

  test('keeps what has expired, and restores it for good', async () => {
    const { bucket, send, put, remove, restore } = await openBucket({ keep_deleted_days: 1 });
    const file = await put('a.txt', 'a');
    await remove(file.id);
    const past = { expires_at: Date.now() - 1000 };
    await server.db.updateTable('files').set(past).where('id', '=', file.id).execute();
    expect((await restore(file.id)).status).toBe(200);
    const found = await send('GET', `/files/${bucket.id}/${file.id}`);
    expect(await found.json()).toMatchObject({ expires_at: null });
    expect(await textAt(file.url)).toBe('a');
  });

  test('keeps a current file out of what deletes for good', async () => {
    const { put, purge, restore } = await openBucket({ keep_deleted_days: 1 });
    const file = await put('a.txt', 'a');
    expect((await purge(file.id)).status).toBe(404);
    expect((await restore(file.id)).status).toBe(404);
    expect(await textAt(file.url)).toBe('a');
  });

  test('deletes an image that is not ready at once, as nobody could open it', async () => {
    const { bucket, trash, remove } = await openBucket({ keep_deleted_days: 1 });
    const image = await uploadFile(server, bucket, 'image', {}, await photo(), 'a.jpg');
    await server.db
      .updateTable('media')
      .set({ status: 'error' })
      .where('file_id', '=', image.id)
      .execute();
    await remove(image.id);
    expect((await trash()).data).toEqual([]);
  });
});

describe('a bucket that keeps versions', () => {
  test('lists what a file was, restores it, and keeps no more than it should', async () => {
    const { put, versions, restore, details } = await openBucket({ keep_versions: 2 });
    const [one, two, three] = [
      await put('a.txt', 'one'),
      await put('a.txt', 'two'),
      await put('a.txt', 'three'),
    ];
    expect(ids(await versions(three.id))).toEqual([two.id, one.id]);
    expect(await statusAt(one.url)).toBe(404);
    expect(await textAt(one.path_url)).toBe('three');
    expect(await details()).toMatchObject({ usage: 11, total_uploads: 1 });

    expect((await restore(one.id)).status).toBe(200);
    expect(await textAt(three.path_url)).toBe('one');
    expect(await textAt(one.url)).toBe('one');
    expect(await statusAt(three.url)).toBe(404);
    expect(ids(await versions(one.id))).toEqual([three.id, two.id]);

    const four = await put('a.txt', 'four');
    expect(ids(await versions(four.id))).toEqual([one.id, three.id]);
    expect((await restore(two.id)).status).toBe(404);
    expect(await findingsOf(server.config)).toEqual([]);
  });

  test('takes them along when the file is moved, deleted and restored', async () => {
    const { bucket, send, put, remove, restore, versions, trash, purge } = await openBucket({
      keep_versions: 5,
      keep_deleted_days: 7,
    });
    const old = await put('a.txt', 'old');
    const file = await put('a.txt', 'new');
    const move = await send('PATCH', `/files/${bucket.id}/${file.id}`, { body: { path: 'b.txt' } });
    expect(move.status).toBe(200);
    expect(ids(await versions(file.id))).toEqual([old.id]);
    await remove(file.id);
    // Another file at the path has no part in them.
    const other = await put('b.txt', 'other');
    expect(await versions(other.id)).toEqual([]);
    expect((await restore(old.id)).status).toBe(404);
    expect(ids((await trash()).data)).toEqual([file.id]);
    await remove(other.id);
    expect((await restore(file.id)).status).toBe(200);
    expect(ids(await versions(file.id))).toEqual([old.id]);
    await remove(file.id);
    expect((await purge(file.id)).status).toBe(204);
    expect(ids((await trash()).data)).toEqual([other.id]);
    expect(await findingsOf(server.config)).toEqual([]);
  });

  test('tells the webhook of a replaced and a restored file, and the log', async () => {
    const { bucket, put, restore } = await openBucket({ keep_versions: 1 });
    const { db } = server;
    const hook = { webhook: 'https://hooks.example/' };
    await db.updateTable('buckets').set(hook).where('id', '=', bucket.id).execute();
    const one = await put('a.txt', 'one');
    const two = await put('a.txt', 'two');
    await restore(one.id);
    const rows = await db
      .selectFrom('webhook_deliveries')
      .select(['type', 'body'])
      .where('bucket_id', '=', bucket.id)
      .orderBy('id')
      .execute();
    expect(rows.map(({ type, body }) => [type, JSON.parse(body).data.file.id])).toEqual([
      ['file.success', one.id],
      ['file.replaced', one.id],
      ['file.success', two.id],
      ['file.replaced', two.id],
      ['file.restored', one.id],
    ]);
    await db.updateTable('buckets').set({ webhook: '' }).where('id', '=', bucket.id).execute();
    const log = await db
      .selectFrom('audit_log')
      .select('action')
      .where('subject_id', 'in', [one.id, two.id])
      .execute();
    const actions = log.map(({ action }) => action);
    expect(actions).toContain('file.replaced');
    expect(actions).toContain('file.restored');
  });

  test('has one winner of many restores and replacements at once, and loses nothing else', async () => {
    const { put, restore, versions, paths, details } = await openBucket({ keep_versions: 100 });
    const files: FileWire[] = [];
    for (const n of [1, 2, 3, 4]) files.push(await put('a.txt', `${n}`));
    await Promise.all([
      ...ids(files).flatMap((id) => [restore(id), restore(id)]),
      ...[5, 6, 7, 8].map((n) => put('a.txt', `${n}`)),
    ]);
    expect(await paths()).toEqual(['a.txt']);
    expect(await details()).toMatchObject({ usage: 8, total_uploads: 1 });
    const [current] = (await listFiles(server, (await details()) as never)).data;
    expect(await versions(current?.id ?? '')).toHaveLength(7);
    expect(await findingsOf(server.config)).toEqual([]);
  });
});

test('a bucket without trash deletes and replaces for good', async () => {
  const { put, remove, restore, trash, details } = await openBucket({ keep_versions: 0 });
  const one = await put('a.txt', 'one');
  const two = await put('a.txt', 'two');
  await remove(two.id);
  expect((await trash()).data).toEqual([]);
  for (const { id } of [one, two]) expect((await restore(id)).status).toBe(404);
  expect(await details()).toMatchObject({ usage: 0, total_uploads: 0 });
});

test('strangers, write tokens and keys of other buckets neither see nor change the trash', async () => {
  const { bucket, key, set, put, remove, trash, send } = await openBucket({ keep_deleted_days: 1 });
  const file = await put('a.txt', 'a');
  await remove(file.id);
  const stranger = await signUp(server);
  const other = await createBucket(server, user.token);
  const token = await createToken(server, bucket, { scope: 'write' });
  const CALLS = [
    ['GET', `/files/trash/${bucket.id}`],
    ['DELETE', `/files/trash/${bucket.id}`],
    ['DELETE', `/files/trash/${bucket.id}/${file.id}`],
    ['POST', `/files/${bucket.id}/${file.id}/restore`],
    ['GET', `/files/${bucket.id}/${file.id}/versions`],
  ] as const;
  for (const [method, path] of CALLS) {
    for (const headers of [
      stranger.authorization,
      { 'x-api-key': other.api_key },
      { authorization: `Bearer ${token}` },
      { authorization: 'Bearer x' },
    ]) {
      const { status } = await send(method, path, { headers });
      expect([401, 403, 404]).toContain(status);
    }
  }
  // The right bucket is not enough for a file of another one.
  const wrong = { headers: { 'x-api-key': other.api_key } };
  expect((await send('POST', `/files/${other.id}/${file.id}/restore`, wrong)).status).toBe(404);
  expect((await send('DELETE', `/files/trash/${other.id}/${file.id}`, wrong)).status).toBe(404);
  expect((await set({ keep_versions: 1 }, stranger.authorization)).status).toBe(404);
  expect((await set({ keep_versions: 1 }, key)).status).toBe(401);
  expect(ids((await trash()).data)).toEqual([file.id]);
});

test('expiry rules are saved, and a list of them that is wrong changes nothing', async () => {
  const expiry_rules = [
    { prefix: 'logs/', days: 1 },
    { prefix: '', days: 3650 },
  ];
  const { bucket, send, set, details } = await openBucket({ expiry_rules, keep_versions: 3 });
  const rule = (prefix: unknown, days: unknown) => ({ prefix, days });
  for (const wrong of [
    [rule('a', 0)],
    [rule('a', 3651)],
    [rule('a', 1.5)],
    [rule('a', null)],
    [rule('/a', 1)],
    [rule('a'.repeat(256), 1)],
    [rule('a\u0000', 1)],
    [rule('a', 1), rule('a', 2)],
    [rule(1, 1)],
    [{ days: 1 }],
    Array.from({ length: 101 }, (_, n) => rule(`a${n}`, 1)),
    null,
    {},
  ]) {
    const body = { expiry_rules: wrong, keep_versions: 4 };
    expect([wrong, (await set(body)).status]).toEqual([wrong, 422]);
  }
  const stranger = await signUp(server);
  expect((await set({ expiry_rules: [] }, stranger.authorization)).status).toBe(404);
  const key = { 'x-api-key': bucket.api_key };
  expect((await set({ expiry_rules: [] }, key)).status).toBe(401);
  expect(await details()).toMatchObject({ expiry_rules, keep_versions: 3 });
  expect((await set({ keep_deleted_days: 2 })).status).toBe(200);
  expect(await details()).toMatchObject({ expiry_rules, keep_deleted_days: 2 });
  const list = await send('GET', '/buckets/', { headers: user.authorization });
  expect(await list.text()).toContain(JSON.stringify(expiry_rules));
  expect((await set({ expiry_rules: [] })).status).toBe(200);
  expect(await details()).toMatchObject({ expiry_rules: [], keep_versions: 3 });
});

test('what a bucket keeps is bounded', async () => {
  const { set, details } = await openBucket({ keep_deleted_days: 90, keep_versions: 100 });
  for (const wrong of [
    { keep_deleted_days: 91 },
    { keep_deleted_days: -1 },
    { keep_versions: 101 },
    { keep_versions: 1.5 },
    { keep_versions: 'x' },
    { keep_versions: null },
    {},
    [],
  ]) {
    expect([wrong, (await set(wrong)).status]).toEqual([wrong, 422]);
  }
  expect((await set({ keep_versions: 3 })).status).toBe(200);
  expect(await details()).toMatchObject({ keep_deleted_days: 90, keep_versions: 3 });
});
