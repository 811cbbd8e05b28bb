import { afterEach, expect, test } from 'bun:test';
import sharp from 'sharp';
import { bmp } from '../../../media/testing/bmp.ts';
import { heic } from '../../../media/testing/heic.ts';
import { IMAGE_MAX_BYTES } from '../../../server/contract/limits.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createBucket, form, listFiles } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

const { server, user, bucket } = await sharedBucketInProcess();
const { db, services } = server;
const { media } = services;
const { run } = media;
afterEach(() => {
  media.run = run;
});
const key = { 'x-api-key': bucket.api_key };

async function put(name: string, bytes: Uint8Array | string, fields = {}): Promise<FileWire> {
  const response = await fetch(`${server.url}/files/upload/file/${bucket.id}`, {
    ...{ method: 'POST', headers: key, body: form(fields, new Blob([bytes as never]), name) },
  });
  const text = await response.text();
  expect([response.status, text]).toEqual([201, expect.any(String)]);
  return JSON.parse(text);
}
const find = async (id: string, of = bucket): Promise<FileWire> => {
  const headers = { 'x-api-key': of.api_key };
  return (await (await fetch(`${server.url}/files/${of.id}/${id}`, { headers })).json()) as never;
};
const jobsOf = (id: string) => db.selectFrom('jobs').select('kind').where('subject', '=', id);
const read = (id: string, of = bucket) =>
  until(async () => {
    const file = await find(id, of);
    return file.width !== null && file;
  });
const jobEnd = (id: string) => until(async () => (await jobsOf(id).execute()).length === 0);
const turned = async () =>
  sharp(await photo({ width: 64, height: 48 }))
    .withMetadata({ orientation: 6 })
    .toBuffer();

test('the size of an image that is stored as it is is read after the upload, which is delivered at once', async () => {
  const bytes = await turned();
  const file = await put('a.jpg', bytes);
  expect(file).toMatchObject({
    file_type: 'file',
    status: 'success',
    width: null,
    thumbhash: null,
  });
  expect((await fetch(file.url ?? '')).status).toBe(200);
  const after = await read(file.id);
  expect(after).toMatchObject({ file_type: 'file', width: 48, height: 64, duration: null });
  expect(after.thumbhash).not.toBeNull();
  expect(after.sha256).toBe(file.sha256);
  expect(Buffer.from(await (await fetch(after.url ?? '')).bytes()).equals(bytes)).toBe(true);
  const listed = (await listFiles(server, bucket)).data.find(({ id }) => id === file.id);
  expect(listed).toMatchObject({ width: 48, height: 64, thumbhash: after.thumbhash });
  await jobEnd(file.id);
  expect(await findingsOf(server.config)).toEqual([]);
});

const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="48"><path d="M0 0h64v48z"/></svg>';
test.each([
  [
    'a.avif',
    async () =>
      sharp(await photo({ width: 64, height: 48 }))
        .avif()
        .toBuffer(),
    'webp',
  ],
  [
    'a.tiff',
    async () =>
      sharp(await photo({ width: 64, height: 48 }))
        .tiff()
        .toBuffer(),
    'webp',
  ],
  ['a.bmp', async () => bmp(64, 48, [200, 30, 30]), 'webp'],
  ['a.heic', () => heic({ width: 64, height: 48 }), 'webp'],
  ['a.svg', async () => Buffer.from(drawing), 'png'],
])('transforms of %s have a format that browsers show', async (name, make, format) => {
  const bytes = await make();
  const file = await put(name, bytes);
  const { width, height } = await read(file.id);
  expect([width, height]).toEqual([64, 48]);
  const small = await fetch(`${file.url}?width=32`);
  expect([small.status, small.headers.get('content-type')]).toEqual([200, `image/${format}`]);
  const made = await sharp(await small.bytes()).metadata();
  expect([made.format as string, made.width, made.height]).toEqual([format, 32, 24]);
  const itself = await fetch(`${file.url}?format=${format}`);
  expect(itself.headers.get('content-type')).toBe(`image/${format}`);
  expect(Buffer.from(await (await fetch(file.url ?? '')).bytes()).equals(bytes)).toBe(true);
});

test('such an image has transforms, also those of the dashboard, and is itself left as it is', async () => {
  const bytes = await turned();
  const file = await put('b.jpeg', bytes);
  await read(file.id);
  const response = await fetch(`${file.url}?width=30&format=png`);
  expect(response.headers.get('content-type')).toBe('image/png');
  expect(response.headers.get('content-disposition')).toContain('b.png');
  const small = await sharp(await response.bytes()).metadata();
  expect([small.format, small.width, small.height]).toEqual(['png', 30, 40]);
  const thumbnail = await fetch(`${server.url}/files/${bucket.id}/${file.id}/thumbnail`, {
    headers: user.authorization,
  });
  expect([thumbnail.status, thumbnail.headers.get('content-type')]).toEqual([200, 'image/avif']);
  const same = await fetch(file.url ?? '');
  expect(same.headers.get('content-type')).toBe('image/jpeg');
  expect(same.headers.get('content-disposition')).toContain('b.jpeg');
  expect(Buffer.from(await same.bytes()).equals(bytes)).toBe(true);
  expect(await findingsOf(server.config)).toEqual([]);
  await fetch(`${server.url}/files/${bucket.id}/${file.id}`, { method: 'DELETE', headers: key });
  expect(await findingsOf(server.config)).toEqual([]);
});

test('what a client has stored as a coding of the bytes is not told of what is generated from them', async () => {
  const file = await put('coded.jpg', await photo({ width: 64, height: 48 }));
  await read(file.id);
  const headers = JSON.stringify({ 'content-encoding': 'identity' });
  await db.updateTable('files').set({ headers }).where('id', '=', file.id).execute();
  const small = await fetch(`${file.url}?width=10`);
  expect(small.headers.get('content-encoding')).toBeNull();
});

test('copies have the size, within the bucket and in another one', async () => {
  const file = await put(
    'copied.png',
    await sharp(await photo())
      .png()
      .toBuffer(),
  );
  const { width, height, thumbhash } = await read(file.id);
  const other = await createBucket(server, user.token, 'Copies');
  for (const target of [{ path: 'near.png' }, { bucket_id: other.id }]) {
    const response = await fetch(`${server.url}/files/copy/${bucket.id}/${file.id}`, {
      method: 'POST',
      headers: { ...user.authorization, 'content-type': 'application/json' },
      body: JSON.stringify(target),
    });
    expect(await response.json()).toMatchObject({ width, height, thumbhash });
  }
});

test.each([
  [
    'cut.png',
    async () =>
      (
        await sharp(await photo())
          .png()
          .toBuffer()
      ).subarray(0, 40),
  ],
  ['cut.gif', async () => Buffer.from('GIF89a')],
])(
  '%p that can not be read stays as it is, without a size, transforms or a failed job',
  async (name, make) => {
    let runs = 0;
    media.run = (job, options) => {
      runs += 1;
      return run(job, options);
    };
    const bytes = await make();
    const file = await put(name, bytes);
    await jobEnd(file.id);
    expect(runs).toBe(1);
    expect(await find(file.id)).toMatchObject({ status: 'success', width: null, error: null });
    const plain = await fetch(`${file.url}?width=10`);
    expect(Buffer.from(await plain.bytes()).equals(bytes)).toBe(true);
  },
);

test('a copy in another bucket that was made before the image was read is read by itself', async () => {
  const held = Promise.withResolvers<void>();
  let isRunning = false;
  media.run = async (job, options) => {
    isRunning = true;
    await held.promise;
    return run(job, options);
  };
  const file = await put('early.jpg', await photo());
  await until(async () => isRunning);
  const other = await createBucket(server, user.token, 'Early');
  const response = await fetch(`${server.url}/files/copy/${bucket.id}/${file.id}`, {
    method: 'POST',
    headers: { ...user.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ bucket_id: other.id }),
  });
  const copy = (await response.json()) as FileWire;
  expect(copy.width).toBeNull();
  held.resolve();
  expect((await read(copy.id, other)).width).toBe((await read(file.id)).width);
});

test('no other file has a job, nor an image that is empty or too large to be decoded', async () => {
  for (const file of [await put('a.txt', 'text'), await put('empty.png', '')]) {
    expect(await jobsOf(file.id).execute()).toEqual([]);
  }
  const upload = { fileId: 'f', bucket: { id: 'b', user_id: 'u' }, contentType: 'image/png' };
  const sized = (size: number) =>
    services.processing.onPlain({ ...upload, key: 'k', size } as never).length;
  expect([sized(IMAGE_MAX_BYTES), sized(IMAGE_MAX_BYTES + 1)]).toEqual([1, 0]);
});

test('the page that shows the file hears of it', async () => {
  const events: unknown[] = [];
  const close = services.events.subscribe('files', (event) => events.push(event));
  const file = await put('told.jpg', await photo());
  await read(file.id);
  await until(async () =>
    events.some((one) => Bun.deepMatch({ event: { type: 'file.updated', file_id: file.id } }, one)),
  );
  close();
});
