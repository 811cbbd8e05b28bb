import { describe, expect, test } from 'bun:test';
import { openObjectsForReading } from '../../../server/adapters/objects.ts';
import { MIB, VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createBucket, form, listFiles, signUp, waitForFile } from '../../support/client/api.ts';
import { clip, clipOfSize, photo } from '../../support/fixtures/make-media.ts';
import { groupBucket } from '../../support/server/group-server.ts';
import { tracesOf } from '../../support/server/stored-objects.ts';

const { server, user, bucket } = await groupBucket();
const { refused } = tracesOf(server);

const chunk = (
  body: BodyInit,
  headers: Record<string, string> = { 'x-api-key': bucket.api_key },
  bucketId = bucket.id,
) => fetch(`${server.url}/files/upload/video/${bucketId}`, { method: 'POST', body, headers });

const chunkForm = (fields: Record<string, string | number>, bytes: Uint8Array, name = 'clip.mp4') =>
  form(
    Object.fromEntries(
      Object.entries({
        chunk_number: 0,
        total_chunks: 1,
        access: 'public',
        resolution: '',
        timeline_preview: '',
        ...fields,
      }).map(([key, value]) => [key, String(value)]),
    ),
    new Blob([bytes as never]),
    name,
  );

describe('a video', () => {
  test('in chunks, in any order, twice over, becomes one file', async () => {
    const bytes = await clipOfSize(2 * VIDEO_CHUNK_BYTES + 1000);
    const part = (n: number) => bytes.subarray(n * VIDEO_CHUNK_BYTES, (n + 1) * VIDEO_CHUNK_BYTES);
    const put = async (n: number) => {
      const response = await chunk(
        chunkForm(
          { client_id: 'order', chunk_number: n, total_chunks: 3, resolution: '160x90' },
          part(n),
        ),
      );
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    expect(await put(2)).toEqual({ status: 202, body: { received: 1, total: 3 } });
    expect(await put(0)).toEqual({ status: 202, body: { received: 2, total: 3 } });
    expect(await put(0)).toEqual({ status: 202, body: { received: 2, total: 3 } });
    const last = await put(1);
    expect(last.status).toBe(201);
    expect(last.body).toMatchObject({ file_type: 'video', name: 'clip.mp4', size: bytes.length });
    const repeated = await put(1);
    expect([repeated.status, repeated.body.id]).toEqual([201, last.body.id]);
    const done = await waitForFile(server, bucket, String(last.body.id));
    expect(done).toMatchObject({ status: 'success', playable: true });
    expect(
      (await listFiles(server, bucket)).data.filter((file) => file.id === done.id),
    ).toHaveLength(1);
  });

  test('can have its fields and its thumbnail behind its chunk, or among them', async () => {
    const bytes = await clip({ seconds: 1 });
    const cover = new Blob([(await photo()) as never]);
    const file = new Blob([bytes as never]);
    const numbers = { chunk_number: '0', total_chunks: '1' };
    const about = { access: 'private', path: 'late/a.mp4', resolution: '160x90' };
    const orders = [
      ['file', 'thumbnail', { ...numbers, client_id: 'late-1' }, about],
      [{ ...numbers, client_id: 'late-2' }, 'thumbnail', 'file', about],
      [numbers, about, 'file', { client_id: 'late-3' }, 'thumbnail'],
    ] as const;
    for (const order of orders) {
      const body = new FormData();
      for (const part of order) {
        if (part === 'file') body.append('file', file, 'clip.mp4');
        else if (part === 'thumbnail') body.append('thumbnail', cover, 't.jpg');
        else for (const [name, value] of Object.entries(part)) body.append(name, value);
      }
      const clientId = String(body.get('client_id'));
      body.set('on_conflict', 'rename');
      const response = await chunk(body);
      expect(response.status).toBe(201);
      const { id } = (await response.json()) as FileWire;
      const made = await waitForFile(server, bucket, id);
      expect(made).toMatchObject({ access: 'private', status: 'success', size: bytes.length });
      expect(made.path).toStartWith('late/a');
      const session = await server.db
        .selectFrom('upload_sessions')
        .select('thumbnail')
        .where('client_id', '=', clientId)
        .executeTakeFirstOrThrow();
      expect(session.thumbnail).not.toBeNull();
    }
  });

  test('with fields behind its chunk is judged by them, and nothing of it stays', async () => {
    const bytes = await clip({ seconds: 1 });
    const late = (fields: Record<string, string>, before: Record<string, string> = {}) => {
      const body = form(before, new Blob([bytes as never]), 'clip.mp4');
      for (const [name, value] of Object.entries(fields)) body.append(name, value);
      return () => chunk(body);
    };
    const numbers = { chunk_number: '0', total_chunks: '1', client_id: 'judged' };
    await refused(late({ ...numbers, access: 'secret' }), 422, 'access');
    await refused(late({ access: 'secret' }, numbers), 422, 'access');
    await refused(late({ ...numbers, chunk_number: '1' }), 422, 'chunk_number');
    await refused(late({ client_id: 'other' }, numbers), 422, 'once');
    await refused(late({ chunk_number: '0', total_chunks: '1' }), 422, 'client_id');
    await refused(late({ ...numbers, webp: 'yes' }), 422, 'and not webp');
    const text = form({}, new Blob(['no video']), 'clip.mp4');
    for (const [name, value] of Object.entries(numbers)) text.append(name, value);
    await refused(() => chunk(text), 415, 'video');
    const large = form({}, new Blob([Buffer.alloc(VIDEO_CHUNK_BYTES + 1) as never]), 'clip.mp4');
    await refused(() => chunk(large), 413, /./);
  });

  test('refuses an SVG as its thumbnail', async () => {
    const body = new FormData();
    const fields = { chunk_number: '0', total_chunks: '1', client_id: 'svg-cover' };
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    body.append('thumbnail', new Blob(['<svg xmlns="http://www.w3.org/2000/svg"/>']), 't.jpg');
    body.append('file', new Blob([(await clip({ seconds: 1 })) as never]), 'clip.mp4');
    const response = await chunk(body);
    expect([response.status, await response.text()]).toEqual([
      415,
      'The thumbnail is not a JPEG, PNG, WebP or GIF image.',
    ]);
  });

  test('stores no thumbnail of a chunk that is repeated, during the upload or after it', async () => {
    const bytes = await clip({ seconds: 1 });
    const thumbnail = await photo();
    const send = async (extra: Buffer[] = []) => {
      const fields = {
        chunk_number: '0',
        total_chunks: '1',
        client_id: 'cover',
        resolution: '160x90',
      };
      const body = new FormData();
      for (const [name, value] of Object.entries(fields)) body.append(name, value);
      for (const one of [thumbnail, ...extra])
        body.append('thumbnail', new Blob([one as never]), 't.jpg');
      body.append('file', new Blob([bytes as never]), 'clip.mp4');
      return chunk(body);
    };
    expect((await send([thumbnail])).status).toBe(400);
    const responses = await Promise.all([1, 2, 3].map(() => send()));
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
    const [file] = (await Promise.all(responses.map((one) => one.json()))) as FileWire[];
    await waitForFile(server, bucket, file?.id ?? '');
    expect((await send()).status).toBe(201);
    // The sweep removes the upload's own one soon.
    const objects = await openObjectsForReading(server.config.storage);
    const { prefix } = await server.db
      .selectFrom('upload_sessions')
      .select('prefix')
      .where('client_id', '=', 'cover')
      .executeTakeFirstOrThrow();
    const keys = (await Array.fromAsync(objects.list(prefix))).map(({ key }) => key);
    expect(keys.filter((key) => key.includes('/thumbnail.')).length).toBeLessThanOrEqual(1);
  });

  test('is answered with the same file when its last chunk comes several times at once', async () => {
    const bytes = await clip({ seconds: 1 });
    const responses = await Promise.all(
      [1, 2, 3, 4].map(() => chunk(chunkForm({ client_id: 'same', resolution: '160x90' }, bytes))),
    );
    const bodies = (await Promise.all(responses.map((one) => one.json()))) as FileWire[];
    expect(responses.map((one) => one.status)).toEqual([201, 201, 201, 201]);
    expect(new Set(bodies.map((one) => one.id)).size).toBe(1);
    await waitForFile(server, bucket, bodies[0]?.id ?? '');
  });

  test('is refused under the client_id of another one, before and after that is complete', async () => {
    const bytes = await clipOfSize(VIDEO_CHUNK_BYTES + 500);
    const first = bytes.subarray(0, VIDEO_CHUNK_BYTES);
    const last = bytes.subarray(VIDEO_CHUNK_BYTES);
    const changed = (part: Uint8Array) => Buffer.concat([part.subarray(0, -1), Buffer.from('!')]);
    const send = async (number: number, part: Uint8Array, total = 2) => {
      const fields = { client_id: 'taken', chunk_number: number, total_chunks: total };
      const response = await chunk(chunkForm({ ...fields, resolution: '160x90' }, part));
      return { status: response.status, body: await response.text() };
    };
    const other = { status: 409, body: expect.stringContaining('new client_id') };
    expect(await send(0, first)).toMatchObject({ status: 202 });
    expect(await send(0, changed(first))).toEqual(other);
    expect(await send(0, first)).toMatchObject({ status: 202 });
    const complete = await send(1, last);
    expect(complete.status).toBe(201);
    const { id } = JSON.parse(complete.body) as FileWire;
    for (const [number, part, total] of [
      [0, changed(first), 2],
      [1, changed(last), 2],
      [1, last.subarray(1), 2],
      [0, await clip({ seconds: 1 }), 1],
    ] as const) {
      expect(await send(number, part, total)).toEqual(other);
    }
    for (const [number, part] of [first, last].entries()) {
      const repeated = await send(number, part);
      expect([repeated.status, JSON.parse(repeated.body).id]).toEqual([201, id]);
    }
    await waitForFile(server, bucket, id);
  });

  test('loses against another one under its client_id at the same time', async () => {
    const clips = [await clip({ seconds: 1 }), await clip({ seconds: 2 })];
    const fields = { client_id: 'race', resolution: '160x90' };
    const responses = await Promise.all(clips.map((bytes) => chunk(chunkForm(fields, bytes))));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
    const winner = responses.findIndex(({ status }) => status === 201);
    const file = (await responses[winner]?.json()) as FileWire;
    expect(file.size).toBe(clips[winner]?.byteLength ?? 0);
    await waitForFile(server, bucket, file.id);
  });

  test('of two users with one client_id is two files', async () => {
    const bytes = await clip({ seconds: 1 });
    const fields = { client_id: 'shared', resolution: '160x90' };
    const other = await signUp(server);
    const theirs = await createBucket(server, other.token);
    const mine = (await (await chunk(chunkForm(fields, bytes))).json()) as FileWire;
    const others = await chunk(chunkForm(fields, bytes), other.authorization, theirs.id);
    const session = await chunk(chunkForm(fields, bytes), user.authorization);
    const ids = [
      mine.id,
      ((await others.json()) as FileWire).id,
      ((await session.json()) as FileWire).id,
    ];
    expect(new Set(ids).size).toBe(3);
    await waitForFile(server, bucket, mine.id);
    await waitForFile(server, bucket, ids[2] ?? '');
    await waitForFile(server, theirs, ids[1] ?? '');
  });

  test('with a wrong chunk, number, total, name or size is refused, and the upload goes on', async () => {
    const bytes = await clipOfSize(VIDEO_CHUNK_BYTES + 500);
    const first = bytes.subarray(0, VIDEO_CHUNK_BYTES);
    const fields = { client_id: 'wrong', total_chunks: 2 };
    expect((await chunk(chunkForm({ ...fields, chunk_number: 0 }, first))).status).toBe(202);
    const cases: [Record<string, string | number>, Uint8Array, number, RegExp][] = [
      [{ ...fields, total_chunks: 3, chunk_number: 1 }, first, 409, /2 chunks/],
      [{ ...fields, chunk_number: 2 }, first, 422, /chunk_number/],
      [{ ...fields, chunk_number: -1 }, first, 422, /chunk_number/],
      [{ ...fields, chunk_number: '1e0' }, first, 422, /chunk_number/],
      [{ ...fields, total_chunks: 0 }, first, 422, /total_chunks/],
      [{ client_id: '../x' }, first, 422, /client_id/],
      [{ client_id: '' }, first, 422, /client_id/],
      [{ client_id: 'r', resolution: '1280x720,huge' }, first, 422, /resolution/],
      [{ client_id: 'short', total_chunks: 3, chunk_number: 1 }, first.subarray(1), 422, /exactly/],
      [{ client_id: 'long', total_chunks: 1 }, Buffer.concat([first, Buffer.from('x')]), 413, /./],
      [{ client_id: 'longer', total_chunks: 1 }, await clipOfSize(20 * MIB), 413, /./],
      [{ client_id: 'junk', total_chunks: 1 }, Buffer.alloc(20 * MIB, 'text '), 415, /video/],
      [{ client_id: 'empty', total_chunks: 1 }, Buffer.alloc(0), 422, /empty/],
      [{ client_id: 'many', total_chunks: 99_999 }, first, 413, /at most/],
      [{ client_id: 'text', total_chunks: 1 }, Buffer.from('text'), 415, /video/],
      [
        { client_id: 'list', total_chunks: 1 },
        Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n'),
        415,
        /video/,
      ],
    ];
    const hint = `It is an image: use Upload Image, or POST /files/upload/image/${bucket.id}.`;
    const picture = await photo({ width: 32, height: 32 });
    await refused(() => chunk(chunkForm({ client_id: 'picture' }, picture)), 415, hint);
    for (const [wrong, body, status, text] of cases) {
      await refused(() => chunk(chunkForm(wrong, body)), status, text);
    }
    await refused(
      () => chunk(form({ ...fields, chunk_number: '1', total_chunks: '2' } as never)),
      400,
      'video file is required',
    );
    const done = await chunk(
      chunkForm(
        { ...fields, chunk_number: 1, resolution: '160x90' },
        bytes.subarray(VIDEO_CHUNK_BYTES),
      ),
    );
    expect(done.status).toBe(201);
    await waitForFile(server, bucket, ((await done.json()) as FileWire).id);
  });

  test('that turns out to be none ends in error with a reason', async () => {
    const corrupt = Buffer.from(await clip({ seconds: 1 }));
    corrupt.fill(0x41, 64);
    const response = await chunk(chunkForm({ client_id: 'broken' }, corrupt));
    expect(response.status).toBe(201);
    const file = await waitForFile(server, bucket, ((await response.json()) as FileWire).id);
    expect(file.status).toBe('error');
    expect(file.error?.length).toBeGreaterThan(10);
    expect(file.error).not.toMatch(/ffmpeg|\/tmp|Error:/);
  });
});
