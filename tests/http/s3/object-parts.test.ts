import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { MIB } from '../../../server/contract/limits.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, user, bucket } = await groupBucketInProcess({ S3_PORT: '0' });
const s3 = s3Client(server, await createS3Key(user));
const Bucket = bucket.id;

const head = (Key: string, more = {}) =>
  s3.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED', ...more }));
const get = async (Key: string, more = {}) => {
  const { Body, ...rest } = await s3.send(
    new GetObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED', ...more }),
  );
  return { ...rest, text: await Body?.transformToString() };
};
const put = (Key: string, Body: string) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body, ChecksumAlgorithm: 'SHA256' }));

async function putInParts(Key: string, bodies: Uint8Array[]): Promise<void> {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const Parts: { ETag: string | undefined; PartNumber: number }[] = [];
  for (const [index, Body] of bodies.entries()) {
    const PartNumber = index + 1;
    const part = { Bucket, Key, UploadId, PartNumber, Body };
    const { ETag } = await s3.send(new UploadPartCommand(part));
    Parts.push({ ETag, PartNumber });
  }
  const complete = { Bucket, Key, UploadId, MultipartUpload: { Parts } };
  await s3.send(new CompleteMultipartUploadCommand(complete));
}

test('HEAD with a range answers as GET does, without the bytes', async () => {
  await put('ranged', '0123456789');
  for (const [Range, length, range] of [
    ['bytes=2-5', 4, 'bytes 2-5/10'],
    ['bytes=7-', 3, 'bytes 7-9/10'],
    ['bytes=-4', 4, 'bytes 6-9/10'],
    ['bytes=8-99', 2, 'bytes 8-9/10'],
  ] as const) {
    const headed = await head('ranged', { Range });
    expect(headed.$metadata.httpStatusCode).toBe(206);
    expect(headed).toMatchObject({ ContentLength: length, ContentRange: range });
    // A client would compare it with the bytes of the range.
    expect(headed.ChecksumSHA256).toBeUndefined();
    expect(await get('ranged', { Range })).toMatchObject({
      ContentLength: length,
      ContentRange: range,
    });
  }
  expect(await refusalOf(head('ranged', { Range: 'bytes=10-' }))).toEqual(['Unknown', 416]);
  const whole = await head('ranged', { Range: 'lines=1-2' });
  expect([whole.$metadata.httpStatusCode, whole.ContentLength]).toEqual([200, 10]);
});

test('the first part of an object that has no parts is the object', async () => {
  await put('single', 'whole');
  const sha256 = createHash('sha256').update('whole').digest('base64');
  const expected = {
    ContentLength: 5,
    ContentRange: 'bytes 0-4/5',
    ChecksumSHA256: sha256,
  };
  const headed = await head('single', { PartNumber: 1 });
  expect(headed).toMatchObject(expected);
  expect([headed.$metadata.httpStatusCode, headed.PartsCount]).toEqual([206, undefined]);
  expect(await get('single', { PartNumber: 1 })).toMatchObject({ ...expected, text: 'whole' });
  await put('empty', '');
  const empty = await get('empty', { PartNumber: 1 });
  expect([empty.$metadata.httpStatusCode, empty.ContentRange, empty.text]).toEqual([
    200,
    undefined,
    '',
  ]);
});

test('an object of one part tells that it has one', async () => {
  await putInParts('one-part', [Buffer.from('only')]);
  expect(await get('one-part', { PartNumber: 1 })).toMatchObject({
    ContentRange: 'bytes 0-3/4',
    PartsCount: 1,
    text: 'only',
  });
  expect((await get('one-part')).PartsCount).toBeUndefined();
});

test('each part of several is read by its number, also of a copy', async () => {
  await putInParts('several', [
    Buffer.alloc(5 * MIB, 'a'),
    Buffer.alloc(5 * MIB, 'b'),
    Buffer.from('cd'),
  ]);
  await s3.send(new CopyObjectCommand({ Bucket, Key: 'copied', CopySource: `${Bucket}/several` }));
  const size = 10 * MIB + 2;
  for (const Key of ['several', 'copied']) {
    const second = await get(Key, { PartNumber: 2 });
    expect(second.text).toBe('b'.repeat(5 * MIB));
    expect(second.ContentRange).toBe(`bytes ${5 * MIB}-${10 * MIB - 1}/${size}`);
    expect(await get(Key, { PartNumber: 3 })).toMatchObject({
      ...{ text: 'cd', ContentLength: 2, PartsCount: 3 },
      ContentRange: `bytes ${10 * MIB}-${size - 1}/${size}`,
    });
    const first = await head(Key, { PartNumber: 1 });
    expect([first.$metadata.httpStatusCode, first.ContentLength]).toEqual([206, 5 * MIB]);
    expect(await refusalOf(get(Key, { PartNumber: 4 }))).toEqual(['InvalidPart', 400]);
  }
});

test('an object that an earlier version has stored has no parts that could be read', async () => {
  await putInParts('before', [Buffer.alloc(5 * MIB, 'a'), Buffer.from('b')]);
  await server.db
    .updateTable('blobs')
    .set({ parts: null })
    .where('bucket_id', '=', Bucket)
    .execute();
  expect(await refusalOf(get('before', { PartNumber: 2 }))).toEqual(['NotImplemented', 501]);
  expect((await get('before')).text).toBe(`${'a'.repeat(5 * MIB)}b`);
});

test('a part that is not there is refused', async () => {
  await put('no-parts', 'whole');
  await putInParts('two-parts', [Buffer.alloc(5 * MIB, 'a'), Buffer.from('b')]);
  const refused = (Key: string, PartNumber: number, more = {}) =>
    refusalOf(get(Key, { PartNumber, ...more }));
  expect(await refused('no-parts', 2)).toEqual(['InvalidPart', 400]);
  expect(await refused('no-parts', 0)).toEqual(['InvalidArgument', 400]);
  expect(await refused('no-parts', 10_001)).toEqual(['InvalidArgument', 400]);
  expect(await refused('no-parts', 1, { Range: 'bytes=0-1' })).toEqual(['InvalidRequest', 400]);
  expect(await refused('two-parts', 3)).toEqual(['InvalidPart', 400]);
  expect(await refused('missing', 1)).toEqual(['NoSuchKey', 404]);
});
