import { describe, expect, test } from 'bun:test';
import type { FileWire, FolderPageWire } from '../../../server/contract/wire.ts';
import { createBucket, createToken, form, signUp } from '../../support/client/api.ts';
import { locationOf, speakTus } from '../../support/client/tus.ts';
import { clip, photo } from '../../support/fixtures/make-media.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedServer } from '../../support/server/server.ts';

const server = await sharedServer();
const user = await signUp(server);
const bucket = await createBucket(server, user.token);
const key = { 'x-api-key': bucket.api_key };

async function put(path: string, text = path): Promise<FileWire> {
  const body = form({ path }, new Blob([text]), 'a.txt');
  const url = `${server.url}/files/upload/file/${bucket.id}`;
  const response = await fetch(url, { method: 'POST', body, headers: key });
  expect(response.status).toBe(201);
  return (await response.json()) as FileWire;
}
const folder = (query: Record<string, string>, headers: Record<string, string> = key) =>
  fetch(`${server.url}/files/folder/${bucket.id}?${new URLSearchParams(query)}`, { headers });
const list = async (query: Record<string, string>) =>
  (await (await folder(query)).json()) as FolderPageWire;
const move = (id: string, change: unknown, headers: Record<string, string> = key) =>
  fetch(`${server.url}/files/${bucket.id}/${id}`, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(change),
  });
const statusAndCode = ({ status, headers }: Response) => [status, headers.get('x-error-code')];

describe('a folder', () => {
  test('lists its files and folders, page by page, until its last file is gone', async () => {
    for (const path of ['list/a.txt', 'list/b.txt', 'list/deep/1.txt', 'list/deep/er/2.txt']) {
      await put(path);
    }
    const all = await list({ prefix: 'list/' });
    expect(all.folders).toEqual(['list/deep/']);
    expect(all.data.map(({ path }) => path)).toEqual(['list/a.txt', 'list/b.txt']);
    expect(all.next).toBeNull();
    const first = await list({ prefix: 'list/', limit: '2' });
    const second = await list({ prefix: 'list/', limit: '2', cursor: first.next ?? '' });
    expect([first.data.length, second.folders, second.next]).toEqual([2, ['list/deep/'], null]);
    expect((await list({})).folders).toContain('list/');
    const [only] = (await list({ prefix: 'list/deep/er/' })).data;
    const url = `${server.url}/files/${bucket.id}/${only?.id}`;
    await fetch(url, { method: 'DELETE', headers: key });
    expect((await list({ prefix: 'list/deep/' })).folders).toEqual([]);
  });

  test('is refused with a wrong prefix, cursor or limit, and to strangers', async () => {
    for (const [name, value] of [
      ['prefix', 'a'],
      ['prefix', '/'],
      ['limit', '0'],
      ['limit', 'x'],
    ] as const) {
      expect((await folder({ [name]: value })).status).toBe(422);
    }
    for (const cursor of ['x', Buffer.from('fa/').toString('base64url'), 'AAAA']) {
      expect(statusAndCode(await folder({ cursor }))).toEqual([400, 'bad-request']);
    }
    const stranger = await signUp(server);
    expect((await folder({}, stranger.authorization)).status).toBe(404);
    const token = await createToken(server, bucket, { scope: 'write' });
    expect((await folder({}, { authorization: `Bearer ${token}` })).status).toBe(401);
  });
});

test('an upload of any kind can name its folder, and gets a number where its name is taken', async () => {
  const send = (path: string, fields: Record<string, string>, name: string, bytes: Uint8Array) =>
    fetch(`${server.url}/files/upload/${path}/${bucket.id}`, {
      method: 'POST',
      headers: key,
      body: form({ folder: 'trip/day 1', ...fields }, new Blob([bytes as never]), name),
    });
  const image = await photo({ width: 32, height: 32 });
  const video = await clip();
  const chunk = { client_id: 'trip', chunk_number: '0', total_chunks: '1' };
  const answers = [
    await send('image', {}, 'a.jpg', image),
    await send('file', {}, 'a.jpg', image),
    await send('video', chunk, 'b.mp4', video),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  const tus = speakTus(server, bucket);
  const created = await tus.create(image.length, { filename: 'c.jpg', folder: 'trip/day 1/' });
  expect((await tus.patch(locationOf(created), 0, image)).status).toBe(204);
  expect((await tus.create(1, { folder: '../x' })).status).toBe(422);
  const { data } = await list({ prefix: 'trip/day 1/' });
  expect(data.map(({ path }) => path)).toEqual([
    'trip/day 1/a (2).jpg',
    ...['trip/day 1/a.jpg', 'trip/day 1/b.mp4', 'trip/day 1/c.jpg'],
  ]);
  for (const folder of ['/', '../x', 'a//b']) {
    expect((await send('image', { folder }, 'd.jpg', image)).status).toBe(422);
    expect((await send('file', { folder }, 'd.jpg', image)).status).toBe(422);
  }
});

describe('a move', () => {
  test('changes the path and the name, and keeps the id and its address', async () => {
    const { db } = server;
    const hook = { webhook: 'https://hooks.example/' };
    await db.updateTable('buckets').set(hook).where('id', '=', bucket.id).execute();
    const file = await put('moves/before.txt', 'moved');
    const response = await move(file.id, { path: 'moves/deep/after.txt' });
    expect(response.status).toBe(200);
    const moved = (await response.json()) as FileWire;
    expect(moved).toMatchObject({ id: file.id, url: file.url, name: 'after.txt' });
    expect(await (await fetch(moved.path_url ?? '')).text()).toBe('moved');
    expect(await (await fetch(file.url ?? '')).text()).toBe('moved');
    expect((await fetch(file.path_url ?? '')).status).toBe(404);
    expect((await list({ prefix: 'moves/' })).folders).toEqual(['moves/deep/']);
    const rows = await db
      .selectFrom('webhook_deliveries')
      .select(['type', 'body'])
      .orderBy('id')
      .execute();
    const told = rows
      .map(({ type, body }) => ({ type, file: JSON.parse(body).data.file }))
      .filter(({ file: { id } }) => id === file.id);
    expect(told.map(({ type }) => type)).toEqual(['file.success', 'file.moved']);
    expect(told[1]?.file).toMatchObject({ path: 'moves/deep/after.txt' });
    await db.updateTable('buckets').set({ webhook: '' }).where('id', '=', bucket.id).execute();
    expect(await findingsOf(server.config)).toEqual([]);
  });

  test('to the path of another file is refused, or replaces it', async () => {
    const [one, two] = [await put('swap/one.txt', 'one'), await put('swap/two.txt', 'two')];
    const path = 'swap/two.txt';
    expect(statusAndCode(await move(one.id, { path }))).toEqual([409, 'path-taken']);
    expect(await (await fetch(two.url ?? '')).text()).toBe('two');
    expect((await move(one.id, { path, on_conflict: 'replace' })).status).toBe(200);
    expect(await (await fetch(two.path_url ?? '')).text()).toBe('one');
    expect((await fetch(two.url ?? '')).status).toBe(404);
    // The same path again is no conflict with itself.
    expect((await move(one.id, { path })).status).toBe(200);
    expect(await findingsOf(server.config)).toEqual([]);
  });

  test('of many files to one path at once has one winner', async () => {
    const files = await Promise.all(Array.from({ length: 8 }, (_, n) => put(`race/${n}.txt`)));
    const answers = await Promise.all(files.map(({ id }) => move(id, { path: 'race/won.txt' })));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect((await list({ prefix: 'race/' })).data).toHaveLength(8);
  });

  test('with a wrong path, of an unknown file, or by a stranger changes nothing', async () => {
    const file = await put('kept/kept.txt');
    for (const path of ['', '/a', 'a/', '../a', 'x'.repeat(1025), 7, undefined]) {
      expect((await move(file.id, { path })).status).toBe(422);
    }
    expect((await move(file.id, { path: 'a', on_conflict: 'rename' })).status).toBe(422);
    expect((await move('0'.repeat(26), { path: 'a' })).status).toBe(404);
    const stranger = await signUp(server);
    expect((await move(file.id, { path: 'a' }, stranger.authorization)).status).toBe(404);
    const token = await createToken(server, bucket, { scope: 'write' });
    const upload = { authorization: `Bearer ${token}` };
    expect((await move(file.id, { path: 'a' }, upload)).status).toBe(401);
    expect((await list({ prefix: 'kept/' })).data.map(({ id }) => id)).toEqual([file.id]);
  });
});
