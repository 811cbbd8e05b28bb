import { expect, test } from 'bun:test';
import {
  CopyObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { MIB } from '../../../server/contract/limits.ts';
import type { BucketDetailWire } from '../../../server/contract/wire.ts';
import { createBucket } from '../../support/client/api.ts';
import { createS3Key, s3Client } from '../../support/client/s3.ts';
import { until } from '../../support/client/wait.ts';
import { clip, clipOfSize, photo } from '../../support/fixtures/make-media.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

const { server, user, bucket } = await sharedBucketInProcess({ S3_PORT: '0' });
const s3 = s3Client(server, await createS3Key(user));
const md5 = (bytes: Uint8Array) => `"${new Bun.CryptoHasher('md5').update(bytes).digest('hex')}"`;

async function process(id: string, process_s3_uploads = true): Promise<BucketDetailWire> {
  const response = await fetch(`${server.url}/buckets/s3/${id}`, {
    method: 'PUT',
    headers: { ...user.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ process_s3_uploads }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as BucketDetailWire;
}
const processing = async () => {
  const created = await createBucket(server, user.token);
  expect((await process(created.id)).process_s3_uploads).toBe(true);
  return created.id;
};
const put = (Bucket: string, Key: string, Body: Uint8Array | string, more = {}) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
const read = async (Bucket: string, Key: string) => {
  const { Body, ...head } = await s3.send(new GetObjectCommand({ Bucket, Key }));
  return { ...head, bytes: Buffer.from((await Body?.transformToByteArray()) ?? []) };
};

/** Returns a file once its jobs have ended, which are many or none. */
async function settled(bucketId: string, path: string) {
  const id = (await server.services.files.forDeliveryAt(bucketId, path))?.id;
  await until(async () => {
    const jobs = await server.db
      .selectFrom('jobs')
      .select(['state'])
      .where('subject', '=', id ?? '')
      .execute();
    return jobs.every(({ state }) => !['queued', 'running'].includes(state));
  });
  const file = await server.services.files.find(id ?? '');
  if (!file) throw new Error(`nothing is at ${path}`);
  return file;
}

test('a bucket stores what S3 clients put as it is, until its owner says otherwise', async () => {
  const bytes = await photo();
  await put(bucket.id, 'a.jpg', bytes);
  expect(await settled(bucket.id, 'a.jpg')).toMatchObject({ file_type: 'file' });
});

test('videos get HLS and images are optimised, while S3 clients get what they have put', async () => {
  const Bucket = await processing();
  const [video, image] = [await clip({ seconds: 3 }), await photo({ width: 1200, height: 800 })];
  await put(Bucket, 'films/a.mp4', video, { ACL: 'public-read', Metadata: { who: 'ada' } });
  // It is there at once, whatever becomes of it.
  expect((await read(Bucket, 'films/a.mp4')).bytes.equals(video)).toBe(true);
  await put(Bucket, 'b.jpg', image, { ACL: 'public-read', ContentType: 'image/x-own' });

  const film = await settled(Bucket, 'films/a.mp4');
  expect(film).toMatchObject({ file_type: 'video', status: 'success', path: 'films/a.mp4' });
  const playlist = await fetch(`${server.url}/cdn/${Bucket}/~/films/a.mp4`);
  expect(await playlist.text()).toStartWith('#EXTM3U');
  const picture = await settled(Bucket, 'b.jpg');
  expect(picture).toMatchObject({ file_type: 'image', status: 'success', width: 1200 });
  const delivered = await (await fetch(`${server.url}/cdn/${Bucket}/~/b.jpg`)).bytes();
  expect(Buffer.from(delivered).equals(image)).toBe(false);

  for (const [Key, bytes] of [
    ['films/a.mp4', video],
    ['b.jpg', image],
  ] as const) {
    const object = await read(Bucket, Key);
    expect(object.bytes.equals(bytes)).toBe(true);
    expect([object.ETag, object.ContentLength]).toEqual([md5(bytes), bytes.length]);
  }
  expect((await read(Bucket, 'films/a.mp4')).Metadata).toEqual({ who: 'ada' });
  expect((await read(Bucket, 'b.jpg')).ContentType).toBe('image/x-own');
  const listed = await s3.send(new ListObjectsV2Command({ Bucket }));
  expect(listed.Contents?.map(({ Key, Size }) => [Key, Size])).toEqual([
    ['b.jpg', image.length],
    ['films/a.mp4', video.length],
  ]);
  expect(await findingsOf(server.config)).toEqual([]);
});

test('objects in parts and copies are processed too', async () => {
  const Bucket = await processing();
  const video = await clipOfSize(6 * MIB, { seconds: 3 });
  const params = { Bucket, Key: 'parts.mp4', Body: video };
  await new Upload({ client: s3, params, partSize: 5 * MIB }).done();
  expect(await settled(Bucket, 'parts.mp4')).toMatchObject({ file_type: 'video' });
  const object = await read(Bucket, 'parts.mp4');
  expect(object.bytes.equals(video)).toBe(true);
  expect(object.ETag).toEndWith('-2"');
  const target = { Bucket, Key: 'copy.mp4', CopySource: `${Bucket}/parts.mp4` };
  await s3.send(new CopyObjectCommand(target));
  expect(await settled(Bucket, 'copy.mp4')).toMatchObject({ file_type: 'video' });
  expect((await read(Bucket, 'copy.mp4')).bytes.equals(video)).toBe(true);
});

test('what is no image or video, or can not be processed, stays as it was put', async () => {
  const Bucket = await processing();
  const damaged = Buffer.concat([(await clip()).subarray(0, 64), Buffer.alloc(5000, 7)]);
  const coded = Bun.gzipSync(new Uint8Array(await photo()));
  await put(Bucket, 'notes.txt', 'text');
  await put(Bucket, 'damaged.mp4', damaged, { ACL: 'public-read' });
  await put(Bucket, 'raw.jpg', await photo(), { ContentEncoding: 'x-own' });
  await put(Bucket, 'coded.jpg', coded, { ContentEncoding: 'gzip' });
  for (const path of ['notes.txt', 'damaged.mp4', 'raw.jpg', 'coded.jpg']) {
    expect(await settled(Bucket, path)).toMatchObject({ file_type: 'file', status: 'success' });
  }
  expect((await read(Bucket, 'damaged.mp4')).bytes.equals(damaged)).toBe(true);
  const delivered = await (await fetch(`${server.url}/cdn/${Bucket}/~/damaged.mp4`)).bytes();
  expect(Buffer.from(delivered).equals(damaged)).toBe(true);
  const log = await server.db
    .selectFrom('audit_log')
    .select('message')
    .where('action', '=', 'file.failed')
    .execute();
  expect(log.map(({ message }) => message)).toEqual([
    expect.stringContaining('“damaged.mp4” could not be processed, and is delivered as it was'),
  ]);
  expect(await findingsOf(server.config)).toEqual([]);
});

test('an object that is replaced or deleted before it is processed leaves nothing behind', async () => {
  const Bucket = await processing();
  const [first, second] = [await clip({ seconds: 3 }), await clip({ seconds: 2 })];
  await put(Bucket, 'v.mp4', first);
  await put(Bucket, 'v.mp4', second);
  expect(await settled(Bucket, 'v.mp4')).toMatchObject({ file_type: 'video' });
  const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'v.mp4' }));
  expect([head.ETag, head.ContentLength]).toEqual([md5(second), second.length]);
  await put(Bucket, 'gone.mp4', first);
  const owned = await server.services.buckets.ownedBy(user.userId, Bucket);
  for (const path of ['gone.mp4', 'v.mp4']) {
    const id = (await server.services.files.forDeliveryAt(Bucket, path))?.id ?? '';
    await server.services.files.deletion.deleteFile(owned, id, { userId: user.userId });
  }
  const { usage } = await server.services.buckets.get(user.userId, Bucket);
  expect(usage).toBe(0);
  expect(await findingsOf(server.config)).toEqual([]);
});
