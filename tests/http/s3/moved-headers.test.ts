import { expect, test } from 'bun:test';
import {
  CopyObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { createBucket, sendImage, waitForFile } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { signedFetch } from '../../support/client/signed-fetch.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, user, bucket } = await groupBucketInProcess({ S3_PORT: '0' });
const key = await createS3Key(user);
const s3 = s3Client(server, key);
const Bucket = bucket.id;
const head = (Key: string, of = Bucket) => s3.send(new HeadObjectCommand({ Bucket: of, Key }));

test('a presigned upload stores the metadata, the access and the tags that are in its URL', async () => {
  const put = new PutObjectCommand({
    ...{ Bucket, Key: 'presigned', ACL: 'public-read', Tagging: 'a=1' },
    Metadata: { who: 'me', where: 'here' },
  });
  const url = await getSignedUrl(s3, put, { expiresIn: 600 });
  const { searchParams } = new URL(url);
  expect(searchParams.get('x-amz-meta-who')).toBe('me');
  // Its own client sends a header that it has not moved.
  const headers: Record<string, string> = searchParams.has('x-amz-tagging')
    ? {}
    : { 'x-amz-tagging': 'a=1' };
  const response = await fetch(url, { method: 'PUT', body: 'bytes', headers });
  expect([response.status, await response.text()]).toEqual([200, '']);
  expect((await head('presigned')).Metadata).toEqual({ who: 'me', where: 'here' });
  expect((await fetch(`${server.config.s3?.url}/${Bucket}/presigned`)).status).toBe(200);
  const { TagSet } = await s3.send(new GetObjectTaggingCommand({ Bucket, Key: 'presigned' }));
  expect(TagSet).toEqual([{ Key: 'a', Value: '1' }]);
});

test('what was moved to the URL is refused where it would not be obeyed, and changed where it was signed', async () => {
  const put = new PutObjectCommand({ Bucket, Key: 'locked', Metadata: { a: 'b' } });
  const url = await getSignedUrl(s3, put, { expiresIn: 600 });
  const changed = await fetch(url.replace('x-amz-meta-a=b', 'x-amz-meta-a=c'), {
    ...{ method: 'PUT', body: 'x' },
  });
  expect(changed.status).toBe(403);
  const unsigned = await fetch(
    `${server.config.s3?.url}/${Bucket}/locked?x-amz-acl=public-read&x-amz-meta-a=b`,
    { method: 'PUT', body: 'x' },
  );
  expect(unsigned.status).toBe(403);
  expect(await refusalOf(head('locked'))).toEqual(['NotFound', 404]);
});

test('texts that are not ASCII come back as they were sent, on both ports', async () => {
  const who = 'Zoë 新';
  // As the bytes of UTF-8, which clients sign.
  const headers = { 'x-amz-meta-who': Buffer.from(who).toString('latin1') };
  for (const [url, path] of [
    [server.config.s3?.url ?? '', ''],
    [server.url, '/s3'],
  ] as const) {
    const send = signedFetch({ config: { s3: { url } } }, key);
    const put = await send('PUT', `${path}/${Bucket}/utf8`, { body: 'x', headers });
    expect([put.status, await put.text()]).toEqual([200, '']);
    const { metadata } = await server.db
      .selectFrom('files')
      .select('metadata')
      .where('bucket_id', '=', Bucket)
      .where('path', '=', 'utf8')
      .where('superseded_at', 'is', null)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(metadata ?? '')).toEqual({ who });
    const read = await send('HEAD', `${path}/${Bucket}/utf8`);
    const encoded = Buffer.from(who).toString('base64');
    expect(read.headers.get('x-amz-meta-who')).toBe(`=?UTF-8?B?${encoded}?=`);
  }
});

test('a copy is judged by its bytes, whatever type is said of it', async () => {
  const { id } = await createBucket(server, user.token);
  await server.services.buckets.settings.setUploadRules(user.userId, id, {
    allowed_types: ['text/*'],
  });
  const page = '<!doctype html><title>x</title>';
  const png = await photo({ width: 8, height: 8 });
  for (const [Key, Body] of [
    ['page.html', page],
    ['photo', png],
    ['note.txt', 'note'],
  ] as const) {
    await s3.send(new PutObjectCommand({ Bucket, Key, Body, ContentType: 'text/plain' }));
  }
  const copy = (Key: string, more = {}) =>
    s3.send(new CopyObjectCommand({ Bucket: id, Key, CopySource: `${Bucket}/${Key}`, ...more }));
  await copy('note.txt', { MetadataDirective: 'REPLACE', ContentType: 'image/png' });
  for (const more of [{}, { MetadataDirective: 'REPLACE', ContentType: 'text/plain' }]) {
    expect(await refusalOf(copy('photo', more))).toEqual(['InvalidRequest', 400]);
  }
  expect(await refusalOf(head('photo', id))).toEqual(['NotFound', 404]);
});

test('an image without its original is replaced by who has its ETag, and by nobody who has another', async () => {
  const { buckets } = server.services;
  await buckets.settings.setRetention(user.userId, Bucket, { keep_originals: false });
  const picture = await photo({ width: 9, height: 9 });
  const uploaded = await sendImage(server, bucket, new File([picture as never], 'x.jpg'));
  const { path } = await waitForFile(server, bucket, uploaded.id);
  const { ETag = '' } = await head(path);
  const replace = (IfMatch: string) =>
    s3.send(new PutObjectCommand({ Bucket, Key: path, Body: 'new', IfMatch }));
  expect(await refusalOf(replace('"0123456789abcdef0123456789abcdef-1"'))).toEqual([
    'PreconditionFailed',
    412,
  ]);
  await replace(ETag);
  expect((await head(path)).ContentLength).toBe(3);
});
