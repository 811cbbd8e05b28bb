import { describe, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { MIB, VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import { createBucket, form, sendImage } from '../../support/client/api.ts';
import { locationOf, speakTus } from '../../support/client/tus.ts';
import { until } from '../../support/client/wait.ts';
import { clip, clipOfSize, photo } from '../../support/fixtures/make-media.ts';
import { sharedBucket } from '../../support/server/server.ts';

const MAX_UPLOADS = 4;
const { server, user, bucket } = await sharedBucket({
  ACCOUNT_MAX_OPEN_UPLOADS: String(MAX_UPLOADS),
  ACCOUNT_MAX_BUCKETS: '2',
});
const { db } = server;
const tus = speakTus(server, bucket);

const post = (path: string, body: FormData) =>
  fetch(`${server.url}${path}/${bucket.id}`, {
    method: 'POST',
    headers: { 'x-api-key': bucket.api_key },
    body,
  });
const chunk = (id: string, bytes: Uint8Array, number = 0, total = 2, thumbnail?: Buffer) => {
  const fields = { client_id: id, chunk_number: String(number), total_chunks: String(total) };
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  if (thumbnail) body.append('thumbnail', new Blob([thumbnail as never]), 't.jpg');
  body.append('file', new Blob([bytes as never]), 'a.mp4');
  return post('/files/upload/video', body);
};
const cancel = (id: string) =>
  fetch(`${server.url}/files/upload/video/${bucket.id}/${id}`, {
    method: 'DELETE',
    headers: { 'x-api-key': bucket.api_key },
  });
const reservations = async () =>
  (await db.selectFrom('pending_deletes').selectAll().where('user_id', '=', user.userId).execute())
    .map((row) => row.reserved_bytes)
    .sort((a, b) => Number(a) - Number(b));
const noneIsOpen = () => until(async () => (await reservations()).length === 0);

/** Sends the start of a form with a file, and keeps the connection open. */
function startForm(kind: 'image' | 'video', fields: Record<string, string>, bytes: Buffer): Socket {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  const parts = Object.entries(fields).map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  socket.write(
    `POST /files/upload/${kind}/${bucket.id} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-Api-Key: ${bucket.api_key}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${5 * MIB}\r\n\r\n${parts.join('')}--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`,
  );
  socket.write(bytes);
  return socket;
}

describe('the unfinished uploads of an account', () => {
  test('are limited, whichever way they come, until one ends', async () => {
    const video = await clipOfSize(VIDEO_CHUNK_BYTES + 1000);
    const first = video.subarray(0, VIDEO_CHUNK_BYTES);
    const small = await photo();
    const image = () => post('/files/upload/image', form({}, new Blob([small as never]), 'a.jpg'));

    expect((await chunk('one', first)).status).toBe(202);
    const known = locationOf(await tus.create(1000));
    await tus.call('POST', tus.endpoint, { 'upload-defer-length': '1' });
    const socket = startForm('image', {}, small);
    await until(async () => (await reservations()).length === MAX_UPLOADS);
    expect(await reservations()).toEqual([0, 1000, 5 * MIB, 2 * VIDEO_CHUNK_BYTES]);

    const refused = [await image(), await chunk('two', first), await tus.create(1000)];
    for (const response of refused) {
      expect([response.status, await response.text()]).toEqual([
        403,
        expect.stringContaining('This account has 4 unfinished uploads, the maximum.'),
      ]);
    }
    const codes = refused.map(({ headers }) => headers.get('x-error-code'));
    expect(codes).toEqual(['quota-exceeded', 'quota-exceeded', 'quota-exceeded']);

    socket.destroy();
    await until(async () => (await reservations()).length === MAX_UPLOADS - 1);
    expect((await image()).status).toBe(201);
    expect((await chunk('one', video.subarray(VIDEO_CHUNK_BYTES), 1)).status).toBe(201);
    expect((await tus.call('DELETE', known)).status).toBe(204);
    expect(await reservations()).toEqual([0]);
    const again = await Promise.all(Array.from({ length: 8 }, () => tus.create(1000)));
    expect(again.filter(({ status }) => status === 201)).toHaveLength(MAX_UPLOADS - 1);
    await db.deleteFrom('upload_sessions').execute();
    await db.deleteFrom('pending_deletes').where('user_id', 'is not', null).execute();
  });

  test('reserve the bytes of a thumbnail, and of a length that comes later', async () => {
    const video = await clip({ seconds: 1 });
    const thumbnail = await photo();
    const first = (await clipOfSize(VIDEO_CHUNK_BYTES + 1000)).subarray(0, VIDEO_CHUNK_BYTES);
    expect((await chunk('cover', first, 0, 2, thumbnail)).status).toBe(202);
    const [withThumbnail] = await reservations();
    expect(withThumbnail).toBeGreaterThan(2 * VIDEO_CHUNK_BYTES + thumbnail.length);
    expect((await cancel('cover')).status).toBe(204);
    await noneIsOpen();

    const deferred = await tus.call('POST', tus.endpoint, { 'upload-defer-length': '1' });
    const half = Math.floor(video.length / 2);
    expect((await tus.patch(locationOf(deferred), 0, video.subarray(0, half))).status).toBe(204);
    const [arriving = 0] = await reservations();
    expect(arriving).toBeGreaterThanOrEqual(half);
    expect(arriving).toBeLessThan(half * 1.25 + MIB);
    const length = { 'upload-length': String(video.length) };
    const rest = await tus.patch(locationOf(deferred), half, video.subarray(half), length);
    expect(rest.status).toBe(204);
    await noneIsOpen();
  });

  test('take a chunk from four requests at once, and not from more', async () => {
    const video = await clip({ seconds: 1 });
    const fields = { client_id: 'many', chunk_number: '1', total_chunks: '2' };
    const inProgress = [startForm('video', fields, video)];
    await until(async () => (await reservations()).length === 1);
    // An empty chunk is never counted, so it does not become an earlier one. While it is read it is one of
    // the four, so a request that is in progress may be refused in its place; the next one is not.
    const refused = await until(async () => {
      inProgress.push(startForm('video', fields, video));
      const response = await chunk('many', Buffer.alloc(0), 1);
      return response.status === 429 && response;
    });
    expect(refused.headers.get('x-error-code')).toBe('too-many');
    for (const socket of inProgress) socket.destroy();
    await until(async () => (await chunk('many', video, 1)).status === 202);
    expect((await cancel('many')).status).toBe(204);
    await noneIsOpen();
  });

  test('leave nothing reserved where a request is refused', async () => {
    const text = new Blob(['not a picture at all']);
    expect((await post('/files/upload/image', form({}, text, 'a.jpg'))).status).toBe(415);
    expect((await chunk('text', Buffer.from('not a video at all'), 0, 1)).status).toBe(415);
    await noneIsOpen();
    await sendImage(server, bucket, new File([(await photo()) as never], 'b.jpg'));
    await noneIsOpen();
  });
});

test('an account has at most ACCOUNT_MAX_BUCKETS buckets', async () => {
  await createBucket(server, user.token);
  const response = await fetch(`${server.url}/buckets`, {
    method: 'POST',
    headers: { ...user.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Third', region: null }),
  });
  expect([response.status, response.headers.get('x-error-code'), await response.text()]).toEqual([
    403,
    'quota-exceeded',
    'This account has 2 buckets, the maximum. Delete one of them first.',
  ]);
});
