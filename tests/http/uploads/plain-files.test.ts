import { describe, expect, test } from 'bun:test';
import { createHash, randomBytes } from 'node:crypto';
import { MIB } from '../../../server/contract/limits.ts';
import type { FilePageWire, FileWire } from '../../../server/contract/wire.ts';
import { bucketCounters } from '../../../server/features/buckets/service.ts';
import { createBucket, createToken, form, signUp } from '../../support/client/api.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedServer } from '../../support/server/server.ts';
import { tracesOf } from '../../support/server/stored-objects.ts';

const MAX = 3 * MIB;
const server = await sharedServer({ MAX_FILE_BYTES: String(MAX) });
const user = await signUp(server);
const bucket = await createBucket(server, user.token);
const { refused } = tracesOf(server);
const key = { 'x-api-key': bucket.api_key };

const send = (body: FormData, headers: Record<string, string> = key, id = bucket.id) =>
  fetch(`${server.url}/files/upload/file/${id}`, { method: 'POST', body, headers });
const blob = (bytes: Uint8Array | string) => new Blob([bytes as never]);

async function stored(
  bytes: Uint8Array | string,
  name: string,
  fields: Record<string, string> = {},
): Promise<FileWire> {
  const response = await send(form(fields, blob(bytes), name));
  const text = await response.text();
  expect([response.status, text]).toEqual([201, expect.any(String)]);
  return JSON.parse(text);
}
const hex = (algorithm: string, bytes: Uint8Array) =>
  createHash(algorithm).update(bytes).digest('hex');

describe('a file of any type', () => {
  test('is stored and delivered as it is, at once and without a job', async () => {
    const bytes = randomBytes(2 * MIB);
    const file = await stored(bytes, 'Model weights.safetensors');
    expect(file).toMatchObject({
      ...{ name: 'Model weights.safetensors', path: 'Model weights.safetensors' },
      ...{ file_type: 'file', status: 'success', progress: 100, size: bytes.length },
      ...{ content_type: 'application/octet-stream', sha256: hex('sha256', bytes) },
      ...{ kept_original: false, embed: null, poster: null, error: null },
    });
    expect(file.url).toEndWith(`/cdn/${bucket.id}/${file.id}/model-weights.safetensors`);
    const delivered = await fetch(file.url ?? '');
    expect(delivered.headers.get('content-length')).toBe(String(bytes.length));
    expect(Buffer.from(await delivered.arrayBuffer()).equals(bytes)).toBe(true);
    const part = await fetch(file.url ?? '', { headers: { range: 'bytes=10-19' } });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))).toBe(true);

    const { db } = server;
    const rowsAbout = async (table: 'media' | 'jobs', column: string) =>
      db
        .selectFrom(table)
        .selectAll()
        .where(column as never, '=', file.id as never)
        .execute();
    expect([await rowsAbout('media', 'file_id'), await rowsAbout('jobs', 'subject')]).toEqual([
      [],
      [],
    ]);
    const blobRow = db.selectFrom('blobs').selectAll().where('id', '=', file.id);
    expect(await blobRow.executeTakeFirst()).toMatchObject({ refs: 1, md5: hex('md5', bytes) });
    expect(await findingsOf(server.config)).toEqual([]);
  });

  test('can be empty', async () => {
    const file = await stored('', '.keep');
    expect(file).toMatchObject({ size: 0, status: 'success' });
    const delivered = await fetch(file.url ?? '');
    expect([delivered.status, await delivered.text()]).toEqual([200, '']);
  });

  test.each([
    ['report.pdf', '%PDF-1.7\n', 'application/pdf', 'attachment'],
    [
      'page.html',
      '<!doctype html><script>alert(1)</script>',
      'text/html; charset=utf-8',
      'attachment',
    ],
    ['app.js', 'alert(1)', 'text/javascript; charset=utf-8', 'attachment'],
    ['drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml', 'attachment'],
    ['feed.xml', '<?xml version="1.0"?><rss/>', 'application/xml', 'attachment'],
    ['notes.txt', 'Grüße', 'text/plain; charset=utf-8', 'inline'],
    ['data.json', '{}', 'application/json', 'inline'],
    ['types.ts', 'export type A = 1;', 'text/plain; charset=utf-8', 'inline'],
    ['README', 'Read me.', 'text/plain; charset=utf-8', 'inline'],
    ['list.m3u8', '#EXTM3U\n', 'application/vnd.apple.mpegurl', 'inline'],
    ['photo.jpg', 'no photo at all', 'text/plain; charset=utf-8', 'inline'],
    ['a.zip', 'PK\x03\x04\x14\0\0\0\0\0', 'application/zip', 'inline'],
  ])('%s has the type that its name and bytes tell', async (name, text, type, disposition) => {
    const file = await stored(text, name);
    expect(file.content_type).toBe(type);
    const delivered = await fetch(file.url ?? '');
    expect(delivered.headers.get('content-type')).toBe(type);
    expect(delivered.headers.get('x-content-type-options')).toBe('nosniff');
    expect(delivered.headers.get('content-security-policy')).toContain('sandbox');
    expect(delivered.headers.get('content-disposition')).toBe(`${disposition}; filename="${name}"`);
    expect(await delivered.text()).toBe(text);
  });

  test('has the type that the name in its path tells, before or after the file', async () => {
    const before = await stored('a,b', 'blob', { path: 'lists/a.csv' });
    const body = form({}, blob('a,b'), 'upload.html');
    body.append('path', 'lists/b.csv');
    const after = (await (await send(body)).json()) as FileWire;
    for (const file of [before, after]) {
      expect(file.content_type).toBe('text/csv; charset=utf-8');
      const { headers } = await fetch(file.url ?? '');
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    }
  });

  test('that is audio says so', async () => {
    const frame = Buffer.from('fffb90640000000000000000', 'hex');
    const file = await stored(Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\0'), frame]), 'a.mp3');
    expect(file).toMatchObject({ file_type: 'audio', content_type: 'audio/mpeg' });
  });

  test('keeps its bytes although they are those of an image, and has no transforms', async () => {
    const bytes = await photo();
    const file = await stored(bytes, 'photo.jpg', { path: 'originals/photo.jpg' });
    expect(file).toMatchObject({ file_type: 'file', content_type: 'image/jpeg' });
    const delivered = await fetch(`${file.url}?width=20`);
    expect(Buffer.from(await delivered.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test('that is private needs a token, and a playlist among them is not rewritten', async () => {
    const text = '#EXTM3U\nhttps://example.com/a.m3u8\nsegment.m4s\n';
    const { id, url } = await stored(text, 'private.m3u8', { access: 'private' });
    expect((await fetch(url ?? '')).status).toBe(401);
    const token = await createToken(server, bucket);
    for (let n = 0; n < 2; n += 1) {
      const delivered = await fetch(`${url}?jwt=${token}`);
      expect(await delivered.text()).toBe(text);
      expect(delivered.headers.get('cache-control')).toBe('private, no-store');
    }
    const list = await fetch(`${server.url}/files/${bucket.id}?file_type=file`, { headers: key });
    const { data } = (await list.json()) as FilePageWire;
    expect(data.map((file) => file.id)).toContain(id);
  });
});

describe('its form', () => {
  test('can have the fields behind the file', async () => {
    const body = form({}, blob('one'), 'one.txt');
    body.append('path', 'notes/2026/first.txt');
    body.append('access', 'private');
    const response = await send(body);
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({
      ...{ path: 'notes/2026/first.txt', name: 'first.txt', access: 'private' },
    });
  });

  test('decides what happens where another file is at its path', async () => {
    const path = 'taken/a.txt';
    const at = (text: string, on_conflict?: string) =>
      send(form({ path, ...(on_conflict && { on_conflict }) }, blob(text), 'a.txt'));
    const first = (await (await at('one')).json()) as FileWire;
    await refused(() => at('two'), 409, 'Another file is at this path');
    await refused(() => at('two', 'error'), 409, 'Another file is at this path');
    await refused(() => at('two', 'overwrite'), 422, 'on_conflict must be');
    const renamed = (await (await at('three', 'rename')).json()) as FileWire;
    expect(renamed.path).toBe('taken/a (2).txt');
    const replaced = (await (await at('four', 'replace')).json()) as FileWire;
    expect(replaced.path).toBe(path);
    expect(replaced.id).not.toBe(first.id);
    expect((await fetch(first.url ?? '')).status).toBe(404);
    expect(await (await fetch(replaced.url ?? '')).text()).toBe('four');
    expect(await findingsOf(server.config)).toEqual([]);
  });

  test('with If-None-Match: * is created once, and replaces nothing', async () => {
    const path = 'once.txt';
    const create = (text: string, fields: Record<string, string> = {}) =>
      send(form({ path, ...fields }, blob(text), 'a.txt'), { ...key, 'if-none-match': '*' });
    const answers = await Promise.all(['one', 'two', 'three'].map((text) => create(text)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 412, 412]);
    for (const on_conflict of ['replace', 'rename', 'error']) {
      await refused(() => create('four', { on_conflict }), 412, 'Another file is at this path');
    }
  });

  test('with If-Match replaces the version with that ETag only', async () => {
    const path = 'matched.txt';
    const put = (text: string, ifMatch: string, headers = key) =>
      send(form({ path }, blob(text), 'a.txt'), { ...headers, 'if-match': ifMatch } as never);
    await refused(() => put('none', '*'), 412, 'No file is at this path');
    const first = await stored('one '.repeat(1000), 'a.txt', { path });
    const etag = async () => (await fetch(first.path_url ?? '')).headers.get('etag') ?? '';
    const old = await etag();
    expect(old).toMatch(/^"\w+"$/);
    await refused(() => put('two', '"other"'), 412, 'Another file is at this path');
    const answers = await Promise.all(['two', 'three'].map((text) => put(text, `"x", ${old}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 412]);
    await refused(() => put('four', old), 412, 'Another file is at this path');
    expect((await put('five', await etag())).status).toBe(201);
    expect(await (await fetch(first.path_url ?? '')).text()).toBe('five');
    const token = {
      authorization: `Bearer ${await createToken(server, bucket, { scope: 'write' })}`,
    };
    await refused(() => put('six', '*', token as never), 401, "can't replace");
    expect(await findingsOf(server.config)).toEqual([]);
  });

  test('with a write token replaces nothing', async () => {
    const token = {
      authorization: `Bearer ${await createToken(server, bucket, { scope: 'write' })}`,
    };
    const fields = { path: 'kept.txt' };
    expect((await send(form(fields, blob('one'), 'a.txt'), token)).status).toBe(201);
    const replacing = { ...fields, on_conflict: 'replace' };
    await refused(() => send(form(replacing, blob('two'), 'a.txt'), token), 401, "can't replace");
  });

  test('replaces one file with each of many, whole, and the last one stays', async () => {
    const path = 'contested.txt';
    const texts = Array.from({ length: 20 }, (_, n) => `writer ${n} `.repeat(100));
    const answers = await Promise.all(
      texts.map((text) => send(form({ path, on_conflict: 'replace' }, blob(text), 'c.txt'))),
    );
    expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 201));
    const rows = await server.db
      .selectFrom('files')
      .select(['id', 'size'])
      .where('bucket_id', '=', bucket.id)
      .where('path', '=', path)
      .execute();
    expect(rows).toHaveLength(1);
    const files = (await Promise.all(answers.map((one) => one.json()))) as FileWire[];
    const last = files.find(({ id }) => id === rows[0]?.id);
    expect(texts).toContain(await (await fetch(last?.url ?? '')).text());
    expect(await findingsOf(server.config)).toEqual([]);
  });

  test.each(['/a', 'a/', 'a//b', '../a', 'a/./b', `a\nb`, 'x'.repeat(1025)])(
    'with the path %j is refused, and leaves nothing',
    async (path) => {
      const body = form({}, blob('x'), 'x.txt');
      body.append('path', path);
      await refused(() => send(body), 422, 'path must be like');
    },
  );

  test('without a file, with two, or with another access is refused, and leaves nothing', async () => {
    await refused(() => send(form({})), 400, 'No file provided');
    const two = form({}, blob('x'), 'x.txt');
    two.append('file', blob('y'), 'y.txt');
    await refused(() => send(two), 400, 'Send one file per request');
    await refused(
      () => send(form({ access: 'secret' }, blob('x'), 'x.txt')),
      422,
      'access must be',
    );
    const late = form({}, blob('x'), 'x.txt');
    late.append('access', 'secret');
    await refused(() => send(late), 422, 'access must be');
  });

  test('that is too large is refused, with and without its length, and leaves nothing', async () => {
    const body = () => form({}, blob(randomBytes(MAX + 1)), 'large.bin');
    await refused(() => send(body()), 413, '');
    const whole = new Response(body());
    const headers = { ...key, 'content-type': whole.headers.get('content-type') ?? '' };
    const unknown = () =>
      fetch(`${server.url}/files/upload/file/${bucket.id}`, {
        ...{ method: 'POST', headers },
        body: whole.body?.pipeThrough(new TransformStream()) ?? null,
      });
    await refused(unknown, 413, '');
  });

  test('is taken from a session and a write token, not from a stranger or with a read token', async () => {
    const body = () => form({}, blob('x'), 'x.txt');
    expect((await send(body(), user.authorization)).status).toBe(201);
    const bearer = async (scope: 'read' | 'write') => ({
      authorization: `Bearer ${await createToken(server, bucket, { scope })}`,
    });
    expect((await send(body(), await bearer('write'))).status).toBe(201);
    const read = await bearer('read');
    await refused(() => send(body(), read), 401, 'Log in');
    const stranger = await signUp(server);
    await refused(() => send(body(), stranger.authorization), 404, 'Bucket not found');
    await refused(() => send(body(), {}), 401, 'Log in');
  });
});

test('the deletion of a file ends its delivery, and takes its bytes along', async () => {
  const file = await stored('gone soon', 'gone.txt');
  const url = `${server.url}/files/${bucket.id}/${file.id}`;
  expect((await fetch(file.url ?? '')).status).toBe(200);
  const usage = async () =>
    server.db
      .selectFrom('buckets')
      .select(bucketCounters)
      .where('id', '=', bucket.id)
      .executeTakeFirstOrThrow();
  const before = await usage();
  expect((await fetch(url, { method: 'DELETE', headers: key })).status).toBe(204);
  expect((await fetch(file.url ?? '')).status).toBe(404);
  const after = await usage();
  expect(before.usage - after.usage).toBe(file.size);
  expect(before.total_uploads - after.total_uploads).toBe(1);
  const blobs = server.db.selectFrom('blobs').select('id').where('id', '=', file.id);
  expect(await blobs.execute()).toEqual([]);
  expect(await findingsOf(server.config)).toEqual([]);
});
