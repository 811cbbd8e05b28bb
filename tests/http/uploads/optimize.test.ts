import { expect, test } from 'bun:test';
import sharp from 'sharp';
import { VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { form, waitForFile } from '../../support/client/api.ts';
import { locationOf, speakTus } from '../../support/client/tus.ts';
import { clip, clipOfSize, photo } from '../../support/fixtures/make-media.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedBucket } from '../../support/server/server.ts';
import { tracesOf } from '../../support/server/stored-objects.ts';

const { server, bucket } = await sharedBucket();
const { create, patch } = speakTus(server, bucket);
const { refused } = tracesOf(server);
const key = { 'x-api-key': bucket.api_key };

type Fields = Record<string, string>;
const byForm = (bytes: Uint8Array, fields: Fields) =>
  fetch(`${server.url}/files/upload/image/${bucket.id}`, {
    ...{ method: 'POST', headers: key },
    body: form({ optimize: 'no', ...fields }, new Blob([bytes as never]), 'a.jpg'),
  });
async function byTus(bytes: Uint8Array, fields: Fields) {
  const begun = await create(bytes.length, { optimize: 'no', filename: 'a.jpg', ...fields });
  return begun.status === 201 ? patch(locationOf(begun), 0, bytes) : begun;
}
const idOf = async (response: Response): Promise<string> =>
  response.headers.get('x-file-id') ?? ((await response.json()) as FileWire).id;
const read = async (url: string | null) =>
  Buffer.from(await (await fetch(url ?? '')).arrayBuffer());

/** A turned photo with metadata, which an optimised one would not have. */
const withMetadata = async () =>
  sharp(await photo({ width: 64, height: 48 }))
    .withExif({ IFD0: { Copyright: 'SecretOwner' } })
    .withMetadata({ orientation: 6 })
    .toBuffer();

test.each([
  ['a form', byForm],
  ['tus', byTus],
])('an image that is not optimised is delivered byte for byte, by %s', async (_, send) => {
  const bytes = await withMetadata();
  const file = await waitForFile(server, bucket, await idOf(await send(bytes, {})));
  expect(file).toMatchObject({
    ...{ status: 'success', file_type: 'image', width: 48, height: 64, kept_original: false },
    ...{ size: bytes.length, warning: null },
  });
  expect((await read(file.url)).equals(bytes)).toBe(true);
  const small = await sharp(await read(`${file.url}?width=30&format=png`)).metadata();
  expect([small.format, small.width, small.height]).toEqual(['png', 30, 40]);
  expect(await findingsOf(server.config)).toEqual([]);
});

test('a video that is not optimised is a file without a job', async () => {
  const bytes = await clip({ seconds: 1 });
  const id = await idOf(await byTus(bytes, { filename: 'a.mp4', filetype: 'video/mp4' }));
  const file = await waitForFile(server, bucket, id);
  expect(file).toMatchObject({ file_type: 'file', content_type: 'video/mp4', status: 'success' });
  expect((await read(file.url)).equals(bytes)).toBe(true);
  const jobs = server.db.selectFrom('jobs').select('id').where('subject', '=', id);
  expect(await jobs.execute()).toEqual([]);
});

const sendChunk = (bytes: Uint8Array, fields: Fields, name = 'a.mp4') =>
  fetch(`${server.url}/files/upload/video/${bucket.id}`, {
    ...{ method: 'POST', headers: key },
    body: form({ optimize: 'no', ...fields }, new Blob([bytes as never]), name),
  });

test('a video in chunks that is not optimised is a file with the bytes of all chunks', async () => {
  const bytes = await clipOfSize(VIDEO_CHUNK_BYTES + 1000);
  const parts = [bytes.subarray(0, VIDEO_CHUNK_BYTES), bytes.subarray(VIDEO_CHUNK_BYTES)];
  const send = (number: number) => {
    const fields = { client_id: 'plain-1', path: 'films/a.mp4', total_chunks: '2' };
    return sendChunk(parts[number] ?? bytes, { ...fields, chunk_number: `${number}` });
  };
  expect((await send(1)).status).toBe(202);
  // Of several requests that send the last chunk at once, one creates the file.
  const responses = await Promise.all([send(0), send(0), send(0)]);
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
  const files = (await Promise.all(responses.map((one) => one.json()))) as FileWire[];
  const [file] = files;
  expect(new Set(files.map(({ id }) => id)).size).toBe(1);
  expect(file).toMatchObject({
    ...{ file_type: 'file', content_type: 'video/mp4', status: 'success', size: bytes.length },
    path: 'films/a.mp4',
  });
  expect((await read(file?.url ?? null)).equals(bytes)).toBe(true);
  expect(((await (await send(1)).json()) as FileWire).id).toBe(file?.id ?? '');
  const jobs = server.db
    .selectFrom('jobs')
    .select('id')
    .where('subject', '=', file?.id ?? '');
  expect(await jobs.execute()).toEqual([]);
  expect(await findingsOf(server.config)).toEqual([]);
});

test('a video in chunks that is not optimised takes no fields of the optimisation, and no taken path', async () => {
  const bytes = await clip({ seconds: 1 });
  const first = { chunk_number: '0', total_chunks: '1' };
  const send = (fields: Fields) => sendChunk(bytes, { ...first, ...fields });
  await refused(() => send({ client_id: 'sized', resolution: '160x90' }), 422, 'resolution');
  await refused(() => send({ client_id: 'bar', timeline_preview: 'yes' }), 422, 'timeline_preview');
  const withCover = async () => {
    const body = form({ ...first, client_id: 'cover', optimize: 'no' });
    body.append('thumbnail', new Blob([(await photo()) as never]), 't.jpg');
    body.append('file', new Blob([bytes as never]), 'a.mp4');
    const url = `${server.url}/files/upload/video/${bucket.id}`;
    return fetch(url, { method: 'POST', headers: key, body });
  };
  await refused(withCover, 422, "don't send a thumbnail");
  const made = await send({ client_id: 'first', path: 'films/b.mp4' });
  expect(made.status).toBe(201);
  await refused(
    () => send({ client_id: 'second', path: 'films/b.mp4' }),
    409,
    'Another file is at this path.',
  );
});

test('what can only be delivered optimised is refused, and leaves nothing', async () => {
  const tiff = await sharp(await photo())
    .tiff()
    .toBuffer();
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
  for (const bytes of [tiff, svg]) {
    await refused(() => byForm(bytes, {}), 415, 'Only JPEG, PNG, WebP and GIF');
    expect((await byTus(bytes, {})).status).toBe(415);
  }
  const bytes = await photo();
  await refused(() => byForm(bytes, { webp: 'yes' }), 422, "don't send webp");
  await refused(() => byForm(bytes, { optimize: 'never' }), 422, 'must be yes or no');
  expect((await byTus(bytes, { resolution: '160x90' })).status).toBe(422);
});

test('a damaged image fails rather than being delivered as it is', async () => {
  const bytes = (await photo({ width: 400, height: 400 })).subarray(0, 3000);
  const file = await waitForFile(server, bucket, await idOf(await byForm(bytes, {})));
  expect(file).toMatchObject({ status: 'error', url: null });
});
