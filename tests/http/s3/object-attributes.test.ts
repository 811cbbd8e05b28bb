import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectAttributesCommand,
  type ObjectAttributes,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { signUp } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, user, bucket } = await groupBucketInProcess({ S3_PORT: '0' });
const url = server.config.s3?.url ?? '';
const s3 = s3Client(server, await createS3Key(user));
const Bucket = bucket.id;
const ALL: ObjectAttributes[] = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'];

const attributes = async (Key: string, ObjectAttributes = ALL, client = s3) => {
  const command = new GetObjectAttributesCommand({ Bucket, Key, ObjectAttributes });
  const { $metadata, LastModified, ...rest } = await client.send(command);
  expect(LastModified).toBeInstanceOf(Date);
  return rest;
};
const put = (Key: string, Body: string, more = {}) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body, ChecksumAlgorithm: 'SHA256', ...more }));
const md5 = (text: string) => createHash('md5').update(text).digest('hex');

test('the attributes that are named are answered, and no others', async () => {
  await put('a b/ü', 'hello');
  const sha256 = createHash('sha256').update('hello').digest('base64');
  expect(await attributes('a b/ü')).toEqual({
    ETag: md5('hello'),
    Checksum: { ChecksumSHA256: sha256, ChecksumType: 'FULL_OBJECT' },
    StorageClass: 'STANDARD',
    ObjectSize: 5,
  });
  expect(await attributes('a b/ü', ['ObjectSize'])).toEqual({ ObjectSize: 5 });
});

test('an object that was uploaded in parts tells how many there were', async () => {
  const Key = 'in-parts';
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const part = { Bucket, Key, UploadId, PartNumber: 1, Body: 'part' };
  const { ETag } = await s3.send(new UploadPartCommand(part));
  const MultipartUpload = { Parts: [{ ETag, PartNumber: 1 }] };
  await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }));
  const found = await attributes(Key, ['ObjectParts', 'ObjectSize', 'ETag']);
  expect(found).toMatchObject({ ObjectParts: { TotalPartsCount: 1 }, ObjectSize: 4 });
  expect(found.ETag).toMatch(/^[0-9a-f]{32}-1$/);
});

test('a missing object, an unknown attribute and none are refused', async () => {
  await put('refused', 'x');
  expect(await refusalOf(attributes('missing'))).toEqual(['NoSuchKey', 404]);
  const unknown = ['ETag', 'Owner'] as unknown as ObjectAttributes[];
  expect(await refusalOf(attributes('refused', unknown))).toEqual(['InvalidArgument', 400]);
  await put('public', 'x', { ACL: 'public-read' });
  const unnamed = await fetch(`${url}/${Bucket}/public?attributes`);
  expect([unnamed.status, await unnamed.text()]).toEqual([
    400,
    expect.stringContaining('<Code>InvalidRequest</Code>'),
  ]);
});

test('who may not read an object is not told of its attributes', async () => {
  await put('secret', 'x');
  await put('open', 'xy', { ACL: 'public-read' });
  const stranger = await signUp(server);
  const others = s3Client(server, await createS3Key(stranger));
  expect(await refusalOf(attributes('secret', ALL, others))).toEqual(['NoSuchBucket', 404]);
  const writer = s3Client(server, await createS3Key(user, { access: 'write' }));
  expect(await refusalOf(attributes('secret', ALL, writer))).toEqual(['AccessDenied', 403]);
  const anonymous = (key: string) =>
    fetch(`${url}/${Bucket}/${key}?attributes`, {
      headers: { 'x-amz-object-attributes': 'ObjectSize' },
    });
  expect((await anonymous('secret')).status).toBe(403);
  expect((await anonymous('missing')).status).toBe(403);
  expect(await (await anonymous('open')).text()).toContain('<ObjectSize>2</ObjectSize>');
});

test('the attributes of a public object are held to the rules of the bucket', async () => {
  await put('ruled', 'x', { ACL: 'public-read' });
  const { buckets } = server.services;
  await buckets.settings.setDeliveryRules(user.userId, Bucket, {
    denied_ips: ['127.0.0.0/8', '::1'],
  });
  try {
    const response = await fetch(`${url}/${Bucket}/ruled?attributes`, {
      headers: { 'x-amz-object-attributes': 'ETag' },
    });
    expect(response.status).toBe(403);
    expect(await attributes('ruled', ['ObjectSize'])).toEqual({ ObjectSize: 1 });
  } finally {
    await buckets.settings.setDeliveryRules(user.userId, Bucket, { denied_ips: [] });
  }
});
