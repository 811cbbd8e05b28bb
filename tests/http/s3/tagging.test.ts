import { expect, test } from 'bun:test';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteBucketTaggingCommand,
  DeleteObjectTaggingCommand,
  GetBucketTaggingCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  PutBucketTaggingCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
  type Tag,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { createBucket, signUp } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, user, bucket } = await groupBucketInProcess({ S3_PORT: '0' });
const s3 = s3Client(server, await createS3Key(user));
const Bucket = bucket.id;

const put = (Key: string, Tagging?: string) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x', Tagging }));
const tag = (Key: string, TagSet: Tag[], client: S3Client = s3) =>
  client.send(new PutObjectTaggingCommand({ Bucket, Key, Tagging: { TagSet } }));
const tagsOf = async (Key: string, VersionId?: string, client: S3Client = s3) =>
  (await client.send(new GetObjectTaggingCommand({ Bucket, Key, VersionId }))).TagSet;
const numbered = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ Key: `key ${n}`, Value: `value ${n}` }));

test('tags are put on an object, read, counted and taken away', async () => {
  await put('a');
  expect(await tagsOf('a')).toEqual([]);
  const TagSet = [
    { Key: 'Größe', Value: 'mittel + groß' },
    { Key: '__proto__', Value: '' },
    { Key: 'a', Value: 'b' },
  ];
  await tag('a', TagSet.toReversed());
  expect(await tagsOf('a')).toEqual(TagSet);
  expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'a' }))).TagCount).toBe(3);
  await tag('a', [{ Key: 'one', Value: '1' }]);
  expect(await tagsOf('a')).toEqual([{ Key: 'one', Value: '1' }]);
  await s3.send(new DeleteObjectTaggingCommand({ Bucket, Key: 'a' }));
  expect(await tagsOf('a')).toEqual([]);
  expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'a' }))).TagCount).toBeUndefined();
});

test('a header puts tags on a new object, and who replaces it without one has none', async () => {
  await put('header', 'a=1&b%20c=%C3%BC+d&empty=');
  expect(await tagsOf('header')).toEqual([
    { Key: 'a', Value: '1' },
    { Key: 'b c', Value: 'ü d' },
    { Key: 'empty', Value: '' },
  ]);
  await put('header');
  expect(await tagsOf('header')).toEqual([]);
});

test('an upload in parts has the tags with which it was created', async () => {
  const Key = 'parts';
  const { UploadId } = await s3.send(
    new CreateMultipartUploadCommand({ Bucket, Key, Tagging: 'kind=large' }),
  );
  const { ETag } = await s3.send(
    new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'part' }),
  );
  const MultipartUpload = { Parts: [{ ETag, PartNumber: 1 }] };
  await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }));
  expect(await tagsOf(Key)).toEqual([{ Key: 'kind', Value: 'large' }]);
});

test('a copy has the tags of its source, or those that it is told', async () => {
  await put('source', 'from=source');
  const CopySource = `${Bucket}/source`;
  const copy = (Key: string, more = {}) =>
    s3.send(new CopyObjectCommand({ Bucket, Key, CopySource, ...more }));
  await copy('copy');
  await copy('with-metadata', { MetadataDirective: 'REPLACE' });
  await copy('replaced', { TaggingDirective: 'REPLACE', Tagging: 'own=1' });
  await copy('without', { TaggingDirective: 'REPLACE' });
  const source = [{ Key: 'from', Value: 'source' }];
  expect(await tagsOf('copy')).toEqual(source);
  expect(await tagsOf('with-metadata')).toEqual(source);
  expect(await tagsOf('replaced')).toEqual([{ Key: 'own', Value: '1' }]);
  expect(await tagsOf('without')).toEqual([]);
  const wrong = copy('wrong', { TaggingDirective: 'SOME' });
  expect(await refusalOf(wrong)).toEqual(['InvalidArgument', 400]);
});

test('each version has tags of its own', async () => {
  const { id } = await createBucket(server, user.token);
  const of = { Bucket: id, Key: 'v' };
  const VersioningConfiguration = { Status: 'Enabled' } as const;
  await s3.send(new PutBucketVersioningCommand({ Bucket: id, VersioningConfiguration }));
  const old = await s3.send(new PutObjectCommand({ ...of, Body: '1', Tagging: 'n=old' }));
  const current = await s3.send(new PutObjectCommand({ ...of, Body: '2', Tagging: 'n=new' }));
  const VersionId = old.VersionId;
  const TagSet = [{ Key: 'n', Value: 'changed' }];
  const changed = await s3.send(
    new PutObjectTaggingCommand({ ...of, VersionId, Tagging: { TagSet } }),
  );
  expect(changed.VersionId).toBe(VersionId);
  const read = (version?: string) =>
    s3.send(new GetObjectTaggingCommand({ ...of, VersionId: version }));
  expect(await read(VersionId)).toMatchObject({ TagSet, VersionId });
  expect(await read()).toMatchObject({
    TagSet: [{ Key: 'n', Value: 'new' }],
    VersionId: current.VersionId,
  });
});

test('too many tags, and what can be none, are refused and change nothing', async () => {
  await put('limits', 'kept=1');
  const long = (length: number) => 'x'.repeat(length);
  for (const TagSet of [
    numbered(11),
    [{ Key: long(129), Value: '' }],
    [{ Key: 'a', Value: long(257) }],
    [{ Key: '', Value: 'x' }],
    [{ Key: 'aws:a', Value: 'x' }],
    [{ Key: 'a', Value: 'x<y' }],
    [
      { Key: 'a', Value: '1' },
      { Key: 'a', Value: '2' },
    ],
  ]) {
    expect(await refusalOf(tag('limits', TagSet))).toEqual(['InvalidTag', 400]);
  }
  for (const header of ['a=%', `${long(129)}=1`, 'a=1&a=2']) {
    expect(await refusalOf(put('limits', header))).toEqual(['InvalidTag', 400]);
  }
  expect(await tagsOf('limits')).toEqual([{ Key: 'kept', Value: '1' }]);
  await tag('limits', [...numbered(9), { Key: long(128), Value: long(256) }]);
  expect(await tagsOf('limits')).toHaveLength(10);
  expect(await refusalOf(tagsOf('missing'))).toEqual(['NoSuchKey', 404]);
  expect(await refusalOf(tag('missing', []))).toEqual(['NoSuchKey', 404]);
});

test('nobody without the right reads or changes tags', async () => {
  await s3.send(
    new PutObjectCommand({ Bucket, Key: 'own', Body: 'x', Tagging: 'a=1', ACL: 'public-read' }),
  );
  const others = s3Client(server, await createS3Key(await signUp(server)));
  const reader = s3Client(server, await createS3Key(user, { access: 'read' }));
  const writer = s3Client(server, await createS3Key(user, { access: 'write' }));
  expect(await refusalOf(tagsOf('own', undefined, others))).toEqual(['NoSuchBucket', 404]);
  expect(await refusalOf(tag('own', [], others))).toEqual(['NoSuchBucket', 404]);
  expect(await refusalOf(tagsOf('own', undefined, writer))).toEqual(['AccessDenied', 403]);
  expect(await refusalOf(tag('own', [], reader))).toEqual(['AccessDenied', 403]);
  const url = `${server.config.s3?.url}/${Bucket}/own`;
  expect((await fetch(`${url}?tagging`)).status).toBe(403);
  const read = await fetch(url);
  expect([read.status, read.headers.get('x-amz-tagging-count')]).toEqual([200, null]);
  expect(await tagsOf('own')).toEqual([{ Key: 'a', Value: '1' }]);
});

test('a bucket has tags that only a key of the whole account sets', async () => {
  const { id } = await createBucket(server, user.token);
  const read = () => s3.send(new GetBucketTaggingCommand({ Bucket: id }));
  const set = (TagSet: Tag[], client: S3Client = s3) =>
    client.send(new PutBucketTaggingCommand({ Bucket: id, Tagging: { TagSet } }));
  expect(await refusalOf(read())).toEqual(['NoSuchTagSet', 404]);
  await set(numbered(50));
  expect((await read()).TagSet).toHaveLength(50);
  expect(await refusalOf(set(numbered(51)))).toEqual(['InvalidTag', 400]);
  const limited = s3Client(server, await createS3Key(user, { buckets: [id] }));
  expect(await refusalOf(set([], limited))).toEqual(['AccessDenied', 403]);
  const others = s3Client(server, await createS3Key(await signUp(server)));
  expect(await refusalOf(set([], others))).toEqual(['NoSuchBucket', 404]);
  expect((await read()).TagSet).toHaveLength(50);
  await s3.send(new DeleteBucketTaggingCommand({ Bucket: id }));
  expect(await refusalOf(read())).toEqual(['NoSuchTagSet', 404]);
});
