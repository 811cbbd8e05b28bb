import { expect, test } from 'bun:test';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import sharp from 'sharp';
import { VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import type { BucketDetailWire, FileWire, ZipWire } from '../../../server/contract/wire.ts';
import { createBucket, form, signUp, uploadFile, waitForFile } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { clip, clipOfSize, photo } from '../../support/fixtures/make-media.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';
import { storedObjects } from '../../support/server/stored-objects.ts';

const { server, user, bucket } = await sharedBucketInProcess({ S3_PORT: '0' });
const s3 = s3Client(server, await createS3Key(user));

const set = (id: string, body: unknown, headers = user.authorization) =>
  fetch(`${server.url}/buckets/retention/${id}`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const detailsOf = async (id: string) =>
  (await (
    await fetch(`${server.url}/buckets/${id}`, { headers: user.authorization })
  ).json()) as BucketDetailWire;
const isEqual = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0;

async function readByS3(Key: string, Bucket = bucket.id) {
  const { Body, ContentLength } = await s3.send(new GetObjectCommand({ Bucket, Key }));
  return { size: ContentLength, bytes: await Body?.transformToByteArray() };
}
const readWithoutKey = (path: string) =>
  fetch(`${server.config.s3?.url}/${bucket.id}/${encodeURI(path)}`);

/** Uploads a video in chunks, with a picture of the caller's own beside it. */
async function uploadInChunks(bytes: Buffer, { id, api_key } = bucket): Promise<FileWire> {
  const total = Math.ceil(bytes.length / VIDEO_CHUNK_BYTES);
  const upload = { client_id: crypto.randomUUID(), resolution: '320x180', access: 'public' };
  let answer: unknown;
  for (let number = 0; number < total; number += 1) {
    const at = number * VIDEO_CHUNK_BYTES;
    const place = { chunk_number: String(number), total_chunks: String(total) };
    const body = form({ ...upload, ...place });
    const cover = new Blob([(await photo({ width: 320, height: 180 })) as never]);
    if (number === 0) body.append('thumbnail', cover, 'cover.jpg');
    const chunk = bytes.subarray(at, at + VIDEO_CHUNK_BYTES);
    body.append('file', new Blob([chunk as never]), 'clip.mp4');
    const response = await fetch(`${server.url}/files/upload/video/${id}`, {
      method: 'POST',
      headers: { 'x-api-key': api_key },
      body,
    });
    expect(response.status).toBeLessThan(300);
    answer = await response.json();
  }
  return waitForFile(server, { id, api_key }, (answer as FileWire).id);
}

const originalsOf = async (id: string) =>
  (await storedObjects(server)).filter((key) => key.includes(id) && !key.startsWith('f/'));

test('a new bucket keeps what was uploaded of an image, which only its owner can read', async () => {
  expect((await detailsOf(bucket.id)).keep_originals).toBe(true);
  const taken = await sharp(await photo())
    .withExif({ IFD0: { Artist: 'Ada at home' } })
    .jpeg()
    .toBuffer();
  const file = await uploadFile(server, bucket, 'image', { access: 'public' }, taken, 'quay.jpg');
  expect(file).toMatchObject({ status: 'success', kept_original: true, size: taken.length });
  const kept = await readByS3('quay.jpg');
  expect(kept.size).toBe(taken.length);
  expect(isEqual(kept.bytes ?? Buffer.of(), taken)).toBe(true);
  // Without a key there is what is delivered, which does not say who made it.
  const delivered = Buffer.from(await (await fetch(file.url ?? '')).arrayBuffer());
  const open = Buffer.from(await (await readWithoutKey('quay.jpg')).arrayBuffer());
  expect(isEqual(open, delivered)).toBe(true);
  expect([taken.includes('Ada at home'), open.includes('Ada at home')]).toEqual([true, false]);
  expect((await readWithoutKey('quay.jpg')).headers.get('content-length')).toBe(`${open.length}`);
});

test('the chunks of a video become one object, which S3 clients and ZIPs read', async () => {
  const { id, api_key } = await createBucket(server, user.token);
  const bytes = await clipOfSize(VIDEO_CHUNK_BYTES + 100_000);
  const file = await uploadInChunks(bytes, { ...bucket, id, api_key });
  expect(file).toMatchObject({ status: 'success', kept_original: true, name: 'clip.mp4' });
  const [original, ...others] = await originalsOf(file.id);
  expect([original?.endsWith('/original'), others]).toEqual([true, []]);
  expect((await storedObjects(server, 'u/')).filter((key) => key.includes(file.id))).toEqual([]);
  const kept = await readByS3(file.path, id);
  expect(kept.size).toBe(bytes.length);
  expect(isEqual(kept.bytes ?? Buffer.of(), bytes)).toBe(true);
  const zip = await fetch(`${server.url}/files/zip/${id}`, {
    method: 'POST',
    headers: { 'x-api-key': api_key, 'content-type': 'application/json' },
    body: JSON.stringify({ ids: [file.id] }),
  });
  const { url, left_out } = (await zip.json()) as ZipWire;
  const zipped = Buffer.from(await (await fetch(url ?? '')).arrayBuffer());
  expect([left_out, zipped.includes(bytes)]).toEqual([0, true]);
  // All of it counts once, and goes with the file.
  const { renditions } = (await (
    await fetch(`${server.url}/files/${id}/${file.id}`, { headers: { 'x-api-key': api_key } })
  ).json()) as { renditions: { name: string; bytes: number }[] };
  expect(renditions.find(({ name }) => name === 'original')?.bytes).toBe(bytes.length);
  const total = renditions.reduce((sum, rendition) => sum + rendition.bytes, 0);
  expect((await detailsOf(id)).usage).toBe(total);
  expect(await findingsOf(server.config)).toEqual([]);
  const headers = { 'x-api-key': api_key };
  await fetch(`${server.url}/files/${id}/${file.id}`, { method: 'DELETE', headers });
  expect(await originalsOf(file.id)).toEqual([]);
  expect((await detailsOf(id)).usage).toBe(0);
});

test('a public video is not read without a key', async () => {
  const fields = { access: 'public', resolution: '320x180' };
  const file = await uploadFile(server, bucket, 'video', fields, await clip(), 'open.mp4');
  expect(file).toMatchObject({ status: 'success', kept_original: true });
  expect((await readByS3(file.path)).size).toBe(file.size);
  const refused = await readWithoutKey(file.path);
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringContaining('InvalidObjectState'),
  ]);
});

test('a bucket that keeps no originals has what is delivered only', async () => {
  const { id, api_key } = await createBucket(server, user.token);
  const own = { ...bucket, id, api_key };
  const saved = await set(id, { keep_originals: false });
  expect(await saved.json()).toMatchObject({ keep_originals: false, keep_versions: 0 });
  const image = await uploadFile(server, own, 'image', {}, await photo(), 'a.jpg');
  const video = await uploadInChunks(await clipOfSize(VIDEO_CHUNK_BYTES + 1000), own);
  for (const file of [image, video]) {
    expect(file).toMatchObject({ status: 'success', kept_original: false });
    expect(await originalsOf(file.id)).toEqual([]);
  }
  expect(await refusalOf(readByS3(video.path, id))).toEqual(['InvalidObjectState', 403]);
});

test('an image that is not optimised is stored once', async () => {
  const fields = { optimize: 'no' };
  const file = await uploadFile(server, bucket, 'image', fields, await photo(), 'exact.jpg');
  expect(file).toMatchObject({ status: 'success', kept_original: false });
  expect(await originalsOf(file.id)).toEqual([]);
  expect((await readByS3('exact.jpg')).size).toBe(file.size);
});

test('only the owner says what a bucket keeps, by yes or no', async () => {
  const stranger = await signUp(server);
  const body = { keep_originals: false };
  expect((await set(bucket.id, body, stranger.authorization)).status).toBe(404);
  for (const keep_originals of [1, 'no', null]) {
    expect((await set(bucket.id, { keep_originals })).status).toBe(422);
  }
  expect((await detailsOf(bucket.id)).keep_originals).toBe(true);
});
