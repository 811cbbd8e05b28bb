import { expect, test } from 'bun:test';
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  HeadObjectCommand,
  type ObjectIdentifier,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { signedFetch } from '../../support/client/signed-fetch.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, user, bucket } = await groupBucketInProcess({ S3_PORT: '0' });
const key = await createS3Key(user);
const s3 = s3Client(server, key);
const Bucket = bucket.id;

/** Stores an object. Returns what is true of it. */
async function stored(Key: string) {
  const { ETag } = await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'four' }));
  const { LastModified } = await s3.send(new HeadObjectCommand({ Bucket, Key }));
  return { ETag, LastModified };
}
const head = (Key: string) => s3.send(new HeadObjectCommand({ Bucket, Key }));
const GONE = ['NotFound', 404] as [string, number];
const EARLIER = new Date(0);

test('an object is deleted only if it is what the request expects', async () => {
  const { ETag, LastModified } = await stored('one');
  const remove = (more: object) =>
    s3.send(new DeleteObjectCommand({ Bucket, Key: 'one', ...more }));
  for (const wrong of [
    { IfMatch: '"other"' },
    { IfMatchSize: 5 },
    { IfMatchLastModifiedTime: EARLIER },
    { IfMatch: ETag, IfMatchSize: 3 },
  ]) {
    expect(await refusalOf(remove(wrong))).toEqual(['PreconditionFailed', 412]);
  }
  await head('one');
  await remove({ IfMatch: ETag, IfMatchSize: 4, IfMatchLastModifiedTime: LastModified });
  expect(await refusalOf(head('one'))).toEqual(GONE);
});

test('of several objects each is deleted by its own conditions', async () => {
  const { ETag, LastModified } = await stored('a');
  await stored('b');
  await stored('c');
  const wrong: ObjectIdentifier[] = [
    { Key: 'b', Size: 5 },
    { Key: 'c', LastModifiedTime: EARLIER },
  ];
  const Objects = [{ Key: 'a', ETag, Size: 4, LastModifiedTime: LastModified }, ...wrong];
  const { Deleted, Errors } = await s3.send(
    new DeleteObjectsCommand({ Bucket, Delete: { Objects } }),
  );
  expect(Deleted?.map(({ Key }) => Key)).toEqual(['a']);
  expect(Errors?.map(({ Key, Code }) => [Key, Code])).toEqual([
    ['b', 'PreconditionFailed'],
    ['c', 'PreconditionFailed'],
  ]);
  expect(await refusalOf(head('a'))).toEqual(GONE);
  await head('b');
  await head('c');
});

test('a condition that is not understood deletes nothing', async () => {
  await stored('kept');
  const send = signedFetch(server, key);
  for (const headers of [
    { 'x-amz-if-match-size': 'four' },
    { 'x-amz-if-match-last-modified-time': 'yesterday' },
  ] as Record<string, string>[]) {
    const response = await send('DELETE', `/${Bucket}/kept`, { headers });
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('<Code>InvalidArgument</Code>'),
    ]);
  }
  await head('kept');
});
