import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIB } from '../../../server/contract/limits.ts';
import type { FileWire, ZipWire } from '../../../server/contract/wire.ts';
import { newId } from '../../../server/platform/ids.ts';
import { createBucket, createToken, form, signUp } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { startServerInProcess } from '../../support/server/in-process-server.ts';

let skipped = 0;
const clock = () => Date.now() + skipped;
const server = await startServerInProcess({}, { clock });
const folder = await mkdtemp(join(tmpdir(), 'wharf-zip-'));
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});
/** Creates a bucket of a new account: the tests set the clock, after which a session shows no key any more. */
async function newBucket() {
  const owner = await signUp(server);
  return { owner, ...(await createBucket(server, owner.token)) };
}
const bucket = await newBucket();
type Bucket = Pick<typeof bucket, 'id' | 'api_key'>;

async function put(path: string, body: BlobPart = path, { id, api_key }: Bucket = bucket) {
  const response = await fetch(`${server.url}/files/upload/file/${id}`, {
    method: 'POST',
    body: form({ path, access: 'private' }, new Blob([body]), 'a.bin'),
    headers: { 'x-api-key': api_key },
  });
  expect(response.status).toBe(201);
  return (await response.json()) as FileWire;
}
const request = (body: unknown, headers: Record<string, string>, { id }: Bucket = bucket) =>
  fetch(`${server.url}/files/zip/${id}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
async function create(body: unknown, of: Bucket = bucket): Promise<ZipWire & { url: string }> {
  const response = await request(body, { 'x-api-key': of.api_key }, of);
  expect(response.status).toBe(200);
  return (await response.json()) as ZipWire & { url: string };
}
/** Downloads a ZIP, tests it by `unzip`, and returns its files by their names. */
async function unzip(url: string): Promise<Record<string, string>> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  const bytes = await response.arrayBuffer();
  expect(response.headers.get('content-length')).toBe(String(bytes.byteLength));
  expect(response.headers.get('content-type')).toBe('application/zip');
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  const path = join(folder, `${newId(clock())}.zip`);
  await Bun.write(path, bytes);
  const read = `import sys, zipfile, json
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
print(json.dumps({i.filename: z.read(i).decode('latin-1')[:99] for i in z.infolist()}))`;
  const python = Bun.spawn(['python3', '-c', read, path], { stdout: 'pipe' });
  const text = await new Response(python.stdout).text();
  expect(await python.exited).toBe(0);
  return JSON.parse(text);
}
const sentOf = async ({ id }: Bucket): Promise<number> => {
  await server.services.usage.flush();
  const rows = await server.db
    .selectFrom('usage_hours')
    .select(({ fn }) => fn.sum<number>('bandwidth').as('sent'))
    .where('bucket_id', '=', id)
    .executeTakeFirst();
  return Number(rows?.sent ?? 0);
};

test('a folder is one ZIP with the paths in it, its length, and private files too', async () => {
  const names = ['b.txt', 'deep/ä 😀.txt', 'deep/deeper/c.txt', 'empty.txt'];
  for (const name of names) await put(`all/photos/${name}`, name === 'empty.txt' ? '' : name);
  await put('all/photos-of-others.txt');
  const zip = await create({ folder: 'all/photos/' });
  expect(zip).toMatchObject({ name: 'photos.zip', files: 4, left_out: 0 });
  const files = await unzip(zip.url);
  expect(Object.keys(files)).toEqual(names.sort());
  expect(files['b.txt']).toBe('b.txt');
  expect(files['empty.txt']).toBe('');
});

test('some files are a ZIP with the paths below the folder that they share', async () => {
  const [one, two] = [await put('pick/a/1.txt'), await put('pick/b/2.txt')];
  const another = await put('elsewhere.txt', 'x', await newBucket());
  const zip = await create({ ids: [one.id, two.id, one.id, another.id, newId(0)] });
  expect(zip).toMatchObject({ name: 'pick.zip', files: 2, left_out: 0 });
  expect(await unzip(zip.url)).toEqual({ 'a/1.txt': 'pick/a/1.txt', 'b/2.txt': 'pick/b/2.txt' });
});

test('what has no bytes is left out and counted, and a ZIP of nothing else has no link', async () => {
  const [kept, other] = [await put('part/kept.txt'), await put('part/streams.mp4')];
  await server.db
    .insertInto('media')
    .values({
      ...{ file_id: other.id, status: 'processing', playable: 0, webp_skipped: 0, is_turned: 0 },
    } as never)
    .execute();
  expect(await create({ folder: 'part' })).toMatchObject({ files: 1, left_out: 1 });
  expect(await create({ ids: [other.id] })).toMatchObject({ files: 0, left_out: 1, url: null });
  expect(Object.keys(await unzip((await create({ folder: 'part' })).url))).toEqual(['kept.txt']);
  expect(kept.path).toBe('part/kept.txt');
});

test.each([
  ['nothing', {}, 422],
  ['a folder and files', { folder: 'a', ids: ['x'] }, 422],
  ['no files', { ids: [] }, 422],
  ['too many files', { ids: Array.from({ length: 1001 }, () => newId(0)) }, 422],
  ['what is no folder', { folder: '../a' }, 422],
  ['a folder that is not there', { folder: 'nowhere' }, 404],
  ['a file that is not there', { ids: [newId(0)] }, 404],
])('a ZIP of %s is refused', async (_, body, status) => {
  expect((await request(body, { 'x-api-key': bucket.api_key })).status).toBe(status);
});

test('a ZIP has 10,000 files at most', async () => {
  const many = await newBucket();
  const file = await put('many/0.txt', 'x', many);
  const { media: _, ...row } = { media: 0, ...(await rowOf(file.id)) };
  for (let slice = 0; slice < 20; slice++) {
    const rows = Array.from({ length: 500 }, (_, n) => {
      const id = newId(clock());
      return { ...row, id, path: `many/${slice}-${n}.txt`, blob_id: null };
    });
    await server.db.insertInto('files').values(rows).execute();
  }
  const refused = await request({ folder: 'many' }, { 'x-api-key': many.api_key }, many);
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain('10,000 files');
});
const rowOf = (id: string) =>
  server.db.selectFrom('files').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

test('nobody else gets a link, and a link opens one ZIP alone, for ten minutes and as long as its key', async () => {
  const mine = await newBucket();
  await put('x/1.txt', 'secret', mine);
  const theirs = await newBucket();
  await put('x/1.txt', 'theirs', theirs);
  const callers: [Record<string, string>, number][] = [
    [theirs.owner.authorization, 404],
    [{ 'x-api-key': theirs.api_key }, 404],
    [{ authorization: `Bearer ${await createToken(server, mine, { scope: 'write' })}` }, 401],
    [{ authorization: `Bearer ${await createToken(server, mine)}` }, 401],
    [{}, 401],
    [mine.owner.authorization, 200],
  ];
  for (const [headers, status] of callers) {
    expect((await request({ folder: 'x' }, headers, mine)).status).toBe(status);
  }
  const { url } = await create({ folder: 'x' }, mine);
  const foreign = new URL((await create({ folder: 'x' }, theirs)).url);
  const other = new URL((await create({ folder: '' }, mine)).url);
  const read = await createToken(server, mine);
  const id = new URL(url).pathname;
  const wrong: [string, number][] = [
    [id, 401],
    [`${id}?token=${read}`, 403],
    [`${id}?token=nonsense`, 403],
    [`${id}${foreign.search}`, 403],
    [`${id}${other.search}`, 403],
    [`${id.replace(mine.id, theirs.id)}${foreign.search}`, 403],
    [`${id.replace(mine.id, theirs.id)}${new URL(url).search}`, 403],
    [`/files/zip/${newId(0)}/${newId(0)}${new URL(url).search}`, 404],
  ];
  for (const [path, status] of wrong) {
    expect([path, (await fetch(`${server.url}${path}`)).status]).toEqual([path, status]);
  }
  // The token of a ZIP opens no file and makes no call.
  const [file] = await server.db
    .selectFrom('files')
    .select('id')
    .where('bucket_id', '=', mine.id)
    .execute();
  const token = new URL(url).searchParams.get('token') ?? '';
  const call = await fetch(`${server.url}/files/${mine.id}/${file?.id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(call.status).toBe(401);
  expect(Object.values(await unzip(url))).toEqual(['secret']);
  const rolled = await fetch(`${server.url}/buckets/roll/api-key/${mine.id}`, {
    method: 'PUT',
    headers: mine.owner.authorization,
  });
  expect(rolled.status).toBe(200);
  expect((await fetch(url)).status).toBe(403);
  const later = new URL((await create({ folder: 'x' }, theirs)).url);
  expect((await fetch(later)).status).toBe(200);
  skipped += 11 * 60_000;
  expect((await fetch(later)).status).toBe(403);
});

test('links of an account are bounded, and expired ones are deleted', async () => {
  const own = await newBucket();
  await put('x/1.txt', 'x', own);
  const results = await Promise.all(
    Array.from({ length: 110 }, () => request({ folder: 'x' }, { 'x-api-key': own.api_key }, own)),
  );
  expect(results.filter(({ status }) => status === 200)).toHaveLength(100);
  expect(results.filter(({ status }) => status === 429)).toHaveLength(10);
  skipped += 11 * 60_000;
  await server.services.housekeeping.round();
  expect(await server.db.selectFrom('zips').selectAll().execute()).toEqual([]);
  expect((await request({ folder: 'x' }, { 'x-api-key': own.api_key }, own)).status).toBe(200);
});

test('a ZIP counts as bandwidth of its files, a HEAD as none, and it is refused where files are', async () => {
  const own = await newBucket();
  const file = await put('x/1.bin', new Uint8Array(2 * MIB), own);
  const { url, size } = await create({ folder: 'x' }, own);
  const head = await fetch(url, { method: 'HEAD' });
  expect(head.headers.get('content-length')).toBe(String(size));
  expect(await sentOf(own)).toBe(0);
  expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(size);
  expect(await sentOf(own)).toBe(size);
  const detail = await fetch(`${server.url}/files/${own.id}/${file.id}`, {
    headers: { 'x-api-key': own.api_key },
  });
  expect(((await detail.json()) as { bandwidth: unknown }).bandwidth).toEqual({
    ...{ month: size, total: size },
  });
  const statusWith = async (column: string, value: unknown) => {
    const set = (next: unknown) =>
      server.db
        .updateTable('buckets')
        .set({ [column]: next } as never)
        .where('id', '=', own.id)
        .execute();
    await set(value);
    const { status } = await fetch(url);
    await set(null);
    return status;
  };
  expect(await statusWith('delivery_stopped_until', clock() + 60_000)).toBe(429);
  expect(await statusWith('banned_at', clock())).toBe(404);
  expect(
    await statusWith('delivery_rules', JSON.stringify({ denied_ips: ['127.0.0.0/8', '::1/128'] })),
  ).toBe(403);
  expect((await fetch(url)).status).toBe(200);
});

/** Begins a download and reads nothing of its body. */
async function begin(url: string) {
  const { hostname, port, pathname, search, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  socket.on('error', () => {});
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.once('data', (bytes) => {
    socket.pause();
    resolve(bytes.toString('latin1').slice(9, 12));
  });
  return { socket, status: await promise };
}

test('an account runs three ZIPs at a time, and one that is aborted counts up to where it stopped', async () => {
  const own = await newBucket();
  for (const n of [1, 2, 3, 4]) await put(`x/${n}.bin`, new Uint8Array(16 * MIB), own);
  const { url, size } = await create({ folder: 'x' }, own);
  const running = [await begin(url), await begin(url), await begin(url)];
  expect(running.map(({ status }) => status)).toEqual(['200', '200', '200']);
  expect((await begin(url)).status).toBe('429');
  for (const { socket } of running) socket.destroy();
  await until(async () => {
    const { status, socket } = await begin(url);
    socket.destroy();
    return status === '200' ? true : undefined;
  });
  const sent = await sentOf(own);
  expect(sent).toBeGreaterThan(0);
  // Four ZIPs began, and none of them ended.
  expect(sent).toBeLessThan(2 * size);
});

test('an object that is gone half-way cuts the connection, so that no ZIP looks whole', async () => {
  const own = await newBucket();
  await put('x/1.bin', new Uint8Array(2 * MIB), own);
  const gone = await put('x/2.bin', 'gone', own);
  const { url, size } = await create({ folder: 'x' }, own);
  const blob = await server.db
    .selectFrom('blobs')
    .selectAll()
    .where('id', '=', gone.id)
    .executeTakeFirstOrThrow();
  await server.services.objects.delete(blob.object_key ?? '');
  const response = await fetch(url);
  expect(response.headers.get('content-length')).toBe(String(size));
  await expect(response.arrayBuffer()).rejects.toThrow();
});

test('nothing follows a ZIP on its connection, which is closed', async () => {
  const own = await newBucket();
  await put('x/1.bin', new Uint8Array(2 * MIB), own);
  const { url, size } = await create({ folder: 'x' }, own);
  const { hostname, port, pathname, search, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  const bytes = Buffer.concat(await Array.fromAsync(socket));
  const end = bytes.indexOf('\r\n\r\n') + 4;
  expect(bytes.toString('latin1', 0, end)).toContain('connection: close');
  expect(bytes.length - end).toBe(size);
});

test('a ban ends a ZIP that is being sent before its next file', async () => {
  const own = await newBucket();
  // More than the buffers of a connection hold.
  for (const n of [1, 2]) await put(`x/${n}.bin`, new Uint8Array(32 * MIB), own);
  const { url, size } = await create({ folder: 'x' }, own);
  const { socket, status } = await begin(url);
  expect(status).toBe('200');
  const banned = { banned_at: clock() };
  await server.db.updateTable('buckets').set(banned).where('id', '=', own.id).execute();
  let bytes = 0;
  for await (const chunk of socket) bytes += chunk.length;
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(size - 16 * MIB);
});
