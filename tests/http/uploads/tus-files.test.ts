import { expect, test } from 'bun:test';
import { createHash, randomBytes } from 'node:crypto';
import { MIB } from '../../../server/contract/limits.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createToken, waitForFile } from '../../support/client/api.ts';
import { encode, locationOf, speakTus } from '../../support/client/tus.ts';
import { clipOfSize, photo } from '../../support/fixtures/make-media.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedBucket } from '../../support/server/server.ts';
import { storedObjects } from '../../support/server/stored-objects.ts';

const { server, user, bucket } = await sharedBucket({
  MAX_FILE_BYTES: String(4 * MIB),
  MAX_VIDEO_BYTES: String(5 * MIB),
});
const { endpoint, key, call, create, patch, offsetOf, sendAndCut, objects } = speakTus(
  server,
  bucket,
);
const hex = (algorithm: string, bytes: Uint8Array) =>
  createHash(algorithm).update(bytes).digest('hex');

/** Sends all of a file in requests that end at some offsets, and returns the last response. */
async function send(
  bytes: Uint8Array,
  metadata: Record<string, string>,
  ends: number[] = [bytes.length],
): Promise<Response> {
  let last = await create(bytes.length, metadata);
  if (last.status !== 201) return last;
  const url = locationOf(last);
  let offset = 0;
  for (const end of ends) {
    last = await patch(url, offset, bytes.subarray(offset, end));
    offset = end;
  }
  return last;
}

async function fileOf(response: Response): Promise<FileWire> {
  expect([response.status, await response.text()]).toEqual([expect.any(Number), '']);
  const id = response.headers.get('x-file-id') ?? '';
  const found = await fetch(`${server.url}/files/${bucket.id}/${id}`, { headers: key });
  expect(found.status).toBe(200);
  return (await found.json()) as FileWire;
}

const delivered = async (url: string | null) =>
  Buffer.from(await (await fetch(url ?? '')).arrayBuffer());
const blobOf = ({ id }: FileWire) =>
  server.db.selectFrom('blobs').selectAll().where('id', '=', id).executeTakeFirst();

test.each([
  ['in one request', [MIB]],
  ['in several', [1, 5000, MIB / 2, MIB]],
])('a file that is no image or video is stored as it is, %s', async (_, ends) => {
  const bytes = randomBytes(MIB);
  const path = `models/${ends.length}/weights.bin`;
  const file = await fileOf(await send(bytes, { path, filename: 'weights.bin' }, ends));
  expect(file).toMatchObject({
    ...{ name: 'weights.bin', path, file_type: 'file', status: 'success' },
    ...{ size: MIB, sha256: hex('sha256', bytes), content_type: 'application/octet-stream' },
  });
  expect((await delivered(file.url)).equals(bytes)).toBe(true);
  expect(await blobOf(file)).toMatchObject({ refs: 1, size: MIB, md5: hex('md5', bytes) });
  const jobs = server.db.selectFrom('jobs').selectAll().where('subject', '=', file.id);
  expect(await jobs.execute()).toEqual([]);
  expect(await findingsOf(server.config)).toEqual([]);
});

test('a file that was joined leaves one object, and none of its parts', async () => {
  const before = (await storedObjects(server)).length;
  const bytes = randomBytes(10_000);
  const file = await fileOf(await send(bytes, { filename: 'a.bin' }, [10, 20, 10_000]));
  expect(await storedObjects(server, `o/${bucket.id}/${file.id}/`)).toHaveLength(1);
  expect((await storedObjects(server)).length).toBe(before + 1);
  const deleted = await fetch(`${server.url}/files/${bucket.id}/${file.id}`, {
    ...{ method: 'DELETE', headers: key },
  });
  expect(deleted.status).toBe(204);
  expect((await storedObjects(server)).length).toBe(before);
});

test('audio is audio, and text has the type of its name', async () => {
  const frame = Buffer.from('fffb90640000000000000000', 'hex');
  const song = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\0'), frame]);
  expect(
    await fileOf(await send(song, { filename: 'a.mp3', filetype: 'audio/mpeg' })),
  ).toMatchObject({ file_type: 'audio', content_type: 'audio/mpeg' });
  const text = Buffer.from('{}');
  expect(await fileOf(await send(text, { filename: 'a.json', folder: 'data' }))).toMatchObject({
    ...{ path: 'data/a.json', content_type: 'application/json' },
  });
});

test('a file can be empty, also where its length is told later', async () => {
  const file = await fileOf(await create(0, { filename: '.keep' }));
  expect(file).toMatchObject({ name: '.keep', size: 0, status: 'success' });
  expect((await delivered(file.url)).length).toBe(0);
  const later = await call('POST', endpoint, {
    ...{ 'upload-defer-length': '1', 'upload-metadata': encode({ filename: 'later.txt' }) },
  });
  const url = locationOf(later);
  const last = await patch(url, 0, new Uint8Array(), { 'upload-length': '0' });
  expect(await fileOf(last)).toMatchObject({ path: 'later.txt', size: 0 });
  expect(await findingsOf(server.config)).toEqual([]);
});

test('what arrived before a cut is part of the file and of its hashes', async () => {
  const bytes = randomBytes(MIB);
  const url = new URL(locationOf(await create(bytes.length, { filename: 'cut.bin' })));
  await sendAndCut(url, 0, bytes.subarray(0, 300_000));
  const offset = await offsetOf(url.href);
  const file = await fileOf(await patch(url.href, offset, bytes.subarray(offset)));
  expect(file.sha256).toBe(hex('sha256', bytes));
  expect((await delivered(file.url)).equals(bytes)).toBe(true);
});

test('where another file is at its path, on_conflict decides', async () => {
  const path = 'taken/a.txt';
  const at = (text: string, on_conflict?: string) =>
    send(Buffer.from(text), { path, ...(on_conflict && { on_conflict }) });
  const first = await fileOf(await at('one'));
  const refused = await at('two');
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([409, 'path-taken']);
  expect(await fileOf(await at('three', 'rename'))).toMatchObject({ path: 'taken/a (2).txt' });
  expect((await delivered(first.url)).toString()).toBe('one');
  const replaced = await fileOf(await at('four', 'replace'));
  expect(replaced.path).toBe(path);
  expect((await fetch(first.url ?? '')).status).toBe(404);
  expect((await delivered(replaced.path_url)).toString()).toBe('four');
  expect(await findingsOf(server.config)).toEqual([]);
});

test('a file whose path is taken meanwhile is not joined however often its client asks, and becomes one later', async () => {
  const path = 'meanwhile/a.bin';
  const bytes = randomBytes(1000);
  const url = locationOf(await create(bytes.length, { path }));
  expect((await patch(url, 0, bytes.subarray(0, 400))).status).toBe(204);
  const other = await fileOf(await send(Buffer.from('other'), { path }));
  const refused = await patch(url, 400, bytes.subarray(400));
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([409, 'path-taken']);
  const copies = () =>
    server.db
      .selectFrom('pending_deletes')
      .select('prefix')
      .where('prefix', 'like', 'o/%')
      .execute();
  const before = await copies();
  for (let n = 0; n < 3; n += 1) expect((await call('HEAD', url)).status).toBe(409);
  expect((await copies()).length).toBeLessThanOrEqual(before.length);
  // What was acknowledged stays until the path is free.
  const deleted = await fetch(`${server.url}/files/${bucket.id}/${other.id}`, {
    ...{ method: 'DELETE', headers: key },
  });
  expect(deleted.status).toBe(204);
  const id = (await call('HEAD', url)).headers.get('x-file-id') ?? '';
  const found = await fetch(`${server.url}/files/${bucket.id}/${id}`, { headers: key });
  const file = (await found.json()) as FileWire;
  expect(file).toMatchObject({ path, size: 1000, sha256: hex('sha256', bytes) });
  expect((await delivered(file.url)).equals(bytes)).toBe(true);
});

test('of many writers of one path one stays, whole', async () => {
  const path = 'contested.txt';
  const texts = Array.from({ length: 12 }, (_, n) => `writer ${n} `.repeat(100));
  const answers = await Promise.all(
    texts.map((text) =>
      send(Buffer.from(text), { path, on_conflict: 'replace' }, [5, text.length]),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 204));
  const rows = await server.db
    .selectFrom('files')
    .select('id')
    .where('bucket_id', '=', bucket.id)
    .where('path', '=', path)
    .execute();
  expect(rows).toHaveLength(1);
  const url = `${server.url}/files/${bucket.id}/${rows[0]?.id}`;
  const file = (await (await fetch(url, { headers: key })).json()) as FileWire;
  expect(texts).toContain((await delivered(file.url)).toString());
  expect(await findingsOf(server.config)).toEqual([]);
});

test('a write token creates files and replaces none', async () => {
  const token = await createToken(server, bucket, { scope: 'write' });
  const begin = (metadata: Record<string, string>) =>
    fetch(endpoint, {
      method: 'POST',
      headers: {
        ...{ 'tus-resumable': '1.0.0', 'upload-length': '0', authorization: `Bearer ${token}` },
        'upload-metadata': encode(metadata),
      },
    });
  expect((await begin({ path: 'mine.txt' })).status).toBe(201);
  const refused = await begin({ path: 'mine.txt', on_conflict: 'replace' });
  expect([refused.status, await refused.text()]).toEqual([
    401,
    expect.stringContaining("can't replace"),
  ]);
});

test('a file that the server or its bucket does not accept is refused, and leaves nothing', async () => {
  // What is accepted would leave its original.
  await server.db.updateTable('buckets').set({ keep_originals: 0 }).execute();
  const uploads = server.db.selectFrom('upload_sessions').select('id').where('file_id', 'is', null);
  const openUploads = async () => (await uploads.execute()).map(({ id }) => id);
  const before = { objects: await objects(), uploads: await openUploads() };
  expect((await create(6 * MIB)).status).toBe(413);
  // A file of another type is larger than the server accepts, although a video of that size is not.
  const bytes = randomBytes(4 * MIB + 1);
  const large = await send(bytes, { filename: 'a.bin' }, [1000]);
  expect([large.status, await large.text()]).toEqual([413, 'Files can be at most 4 MiB.']);
  const video = await clipOfSize(4 * MIB + 1);
  const film = await fileOf(await send(video, { resolution: '160x90' }));
  expect(film.file_type).toBe('video');

  const allow = (allowed_types: string[]) =>
    fetch(`${server.url}/buckets/upload-rules/${bucket.id}`, {
      method: 'PUT',
      headers: { ...user.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ allowed_types }),
    });
  expect((await allow(['image/*'])).status).toBe(200);
  const refused = await send(Buffer.from('text'), { filename: 'a.txt' });
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([415, 'type-refused']);
  expect((await create(0, { filename: 'a.txt' })).status).toBe(415);
  const picture = await fileOf(await send(await photo(), { filename: 'a.jpg' }));
  // What is processed is stored below the same prefix until it is.
  for (const { id } of [film, picture]) await waitForFile(server, bucket, id);
  expect((await allow([])).status).toBe(200);
  expect(await objects(before.objects)).toEqual([]);
  expect(before.uploads).toEqual(expect.arrayContaining(await openUploads()));
});

test('a file in very many small requests is refused until they have more bytes', async () => {
  const url = locationOf(await create(3 * MIB, { filename: 'a.bin' }));
  const id = url.split('/').at(-1) ?? '';
  const { db } = server;
  const row = db.selectFrom('upload_sessions').select('prefix').where('id', '=', id);
  const { prefix } = await row.executeTakeFirstOrThrow();
  const part = (position: number) => ({
    ...{ upload_id: id, position, size: 1, object_key: `${prefix}${position}.x`, sha256: null },
  });
  await db
    .insertInto('upload_parts')
    .values(Array.from({ length: 1000 }, (_, position) => part(position)))
    .execute();
  await db.updateTable('upload_sessions').set({ received: 1000 }).where('id', '=', id).execute();
  const before = await objects();
  const refused = await patch(url, 1000, randomBytes(1));
  expect([refused.status, await refused.text()]).toEqual([
    422,
    expect.stringContaining('too many small requests'),
  ]);
  expect([await offsetOf(url), await objects(before)]).toEqual([1000, []]);
  expect((await call('DELETE', url)).status).toBe(204);
});
