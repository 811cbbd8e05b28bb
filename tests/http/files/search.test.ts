import { describe, expect, test } from 'bun:test';
import type { FilePageWire, FileWire, FolderPageWire } from '../../../server/contract/wire.ts';
import { createBucket, form, signUp } from '../../support/client/api.ts';
import { sharedServer } from '../../support/server/server.ts';

const server = await sharedServer();
const user = await signUp(server);
const bucket = await createBucket(server, user.token);
const key = { 'x-api-key': bucket.api_key };

/** The paths in the order of their uploads, each with as many bytes as its number says. */
const PATHS = ['b/Two 2.txt', 'a/three 3.txt', 'a/ONE 1.txt', 'four 4.txt'];
for (const path of PATHS) {
  const text = 'x'.repeat(Number(/\d/.exec(path)?.[0]));
  const response = await fetch(`${server.url}/files/upload/file/${bucket.id}`, {
    method: 'POST',
    body: form({ path }, new Blob([text]), 'a.txt'),
    headers: key,
  });
  expect(response.status).toBe(201);
}

const get = (path: string, query: Record<string, string>, headers: Record<string, string> = key) =>
  fetch(`${server.url}/files/${path}?${new URLSearchParams(query)}`, { headers });
const pathsOf = (files: FileWire[]) => files.map(({ path }) => path);
const list = async (query: Record<string, string>) =>
  (await (await get(bucket.id, query)).json()) as FilePageWire;
const folder = async (query: Record<string, string>) =>
  (await (await get(`folder/${bucket.id}`, query)).json()) as FolderPageWire;
const [two, three, one, four] = PATHS as [string, string, string, string];

describe('the list of files', () => {
  test('finds parts of paths in any case, by folder and by size', async () => {
    expect(pathsOf((await list({ q: 'one' })).data)).toEqual([one]);
    expect(pathsOf((await list({ q: 'A/ & TXT' })).data)).toEqual([one, three]);
    expect(pathsOf((await list({ prefix: 'a/', q: 'three' })).data)).toEqual([three]);
    expect(pathsOf((await list({ min_size: '2', max_size: '3' })).data)).toEqual([three, two]);
    expect((await list({ q: 'five' })).data).toEqual([]);
  });

  test('finds files by their metadata', async () => {
    const [file] = (await list({ q: 'two' })).data;
    const changed = await fetch(`${server.url}/files/${bucket.id}/${file?.id}`, {
      method: 'PATCH',
      body: JSON.stringify({ metadata: { project: 'Harbour & sea' } }),
      headers: { ...key, 'content-type': 'application/json' },
    });
    expect(changed.status).toBe(200);
    expect(pathsOf((await list({ metadata: 'project=Harbour+%26+sea' })).data)).toEqual([two]);
    expect(pathsOf((await list({ metadata: 'project', sort: 'size' })).data)).toEqual([two]);
    expect((await list({ metadata: 'project=harbour' })).data).toEqual([]);
    expect((await list({ metadata: 'project=Harbour', q: 'three' })).data).toEqual([]);
  });

  test('is sorted, page by page', async () => {
    for (const [query, expected] of [
      [{ sort: 'name' }, [one, three, two, four]],
      [{ sort: 'size' }, [four, three, two, one]],
      [{ sort: 'size', order: 'asc' }, [one, two, three, four]],
      [{ sort: '', order: 'asc' }, PATHS],
    ] as [Record<string, string>, string[]][]) {
      const first = await list({ ...query, limit: '3' });
      const second = await list({ ...query, limit: '3', cursor: first.nextId ?? '' });
      expect(pathsOf([...first.data, ...second.data])).toEqual(expected);
      expect(second.nextId).toBeNull();
    }
  });

  test('refuses what is no search and no order', async () => {
    for (const [name, value] of [
      ['q', 'x'.repeat(101)],
      ['q', 'a\0'],
      ['metadata', 'x'.repeat(2049)],
      ['prefix', 'a'],
      ['sort', 'width'],
      ['order', 'up'],
      ['min_size', '-1'],
      ['max_size', 'x'],
      ['max_size', '1e30'],
      ['cursor', 'x'.repeat(2000)],
    ] as const) {
      const response = await get(bucket.id, { [name]: value });
      expect([name, response.status]).toEqual([name, 422]);
    }
    for (const query of [
      { cursor: 'x' },
      { cursor: '/a/ONE 1.txt' },
      { sort: 'name', cursor: '0'.repeat(26) },
    ] as Record<string, string>[]) {
      const response = await get(bucket.id, query);
      expect([response.status, response.headers.get('x-error-code')]).toEqual([400, 'bad-request']);
    }
  });

  test('searches nothing of another account', async () => {
    const stranger = await signUp(server);
    expect((await get(bucket.id, { q: 'one' }, stranger.authorization)).status).toBe(404);
    const own = await createBucket(server, stranger.token);
    const found = await get(own.id, { q: 'one' }, { 'x-api-key': own.api_key });
    expect(((await found.json()) as FilePageWire).data).toEqual([]);
  });
});

test('a folder is sorted with its folders first', async () => {
  const first = await folder({ sort: 'size', limit: '2' });
  expect([first.folders, pathsOf(first.data)]).toEqual([['a/', 'b/'], []]);
  const second = await folder({ sort: 'size', limit: '2', cursor: first.next ?? '' });
  expect([second.folders, pathsOf(second.data), second.next]).toEqual([[], [four], null]);
  expect(pathsOf((await folder({ prefix: 'a/', sort: 'date' })).data)).toEqual([one, three]);
  expect(pathsOf((await folder({ prefix: 'a/', order: 'desc' })).data)).toEqual([three, one]);
  for (const query of [{ sort: 'x' }, { order: 'x' }] as Record<string, string>[]) {
    expect((await get(`folder/${bucket.id}`, query)).status).toBe(422);
  }
  const other = await get(`folder/${bucket.id}`, { sort: 'date', cursor: first.next ?? '' });
  expect(other.status).toBe(200);
  const wrong = await get(`folder/${bucket.id}`, { sort: 'size', cursor: 'Zg' });
  expect(wrong.status).toBe(400);
});
