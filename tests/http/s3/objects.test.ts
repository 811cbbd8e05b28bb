import { expect, test } from 'bun:test';
import { createHash, randomBytes } from 'node:crypto';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketLocationCommand,
  GetBucketPolicyCommand,
  GetBucketVersioningCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  PutObjectAclCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { MIB } from '../../../server/contract/limits.ts';
import type { FilePageWire } from '../../../server/contract/wire.ts';
import { signUp } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { signedFetch } from '../../support/client/signed-fetch.ts';
import { until } from '../../support/client/wait.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

const { server, user, bucket } = await sharedBucketInProcess({
  S3_PORT: '0',
  MAX_FILE_BYTES: String(64 * MIB),
});
const key = await createS3Key(user);
const s3 = s3Client(server, key);
const Bucket = bucket.id;

const md5 = (bytes: string | Uint8Array) => createHash('md5').update(bytes).digest('hex');
const put = (Key: string, Body: string | Uint8Array = Key, more = {}) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
const get = async (Key: string, more = {}) => {
  const { Body, ...rest } = await s3.send(new GetObjectCommand({ Bucket, Key, ...more }));
  return { ...rest, bytes: Buffer.from((await Body?.transformToByteArray()) ?? []) };
};

test('what is put is what one gets, with its type, headers and metadata', async () => {
  const bytes = randomBytes(3 * MIB);
  const stored = await put('photos/a b+ü/%41.bin', bytes, {
    ContentType: 'application/x-own',
    CacheControl: 'max-age=5',
    ContentDisposition: 'attachment; filename="a.bin"',
    ContentEncoding: 'gzip',
    ContentLanguage: 'de',
    Metadata: { mtime: '1700000000.5', name: 'harbour' },
  });
  expect(stored.ETag).toBe(`"${md5(bytes)}"`);
  const got = await get('photos/a b+ü/%41.bin');
  expect(got.bytes.equals(bytes)).toBe(true);
  expect(got).toMatchObject({
    ContentLength: bytes.length,
    ETag: `"${md5(bytes)}"`,
    ContentType: 'application/x-own',
    CacheControl: 'max-age=5',
    ContentDisposition: 'attachment; filename="a.bin"',
    ContentEncoding: 'gzip',
    ContentLanguage: 'de',
    Metadata: { mtime: '1700000000.5', name: 'harbour' },
  });
  const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'photos/a b+ü/%41.bin' }));
  expect(head).toMatchObject({ ContentLength: bytes.length, ETag: `"${md5(bytes)}"` });
  expect((await get('photos/a b+ü/%41.bin', { Range: 'bytes=5-9' })).bytes).toEqual(
    bytes.subarray(5, 10),
  );
  expect(await refusalOf(get('photos/a b+ü/%41.bin', { Range: 'bytes=9000000-' }))).toEqual([
    'InvalidRange',
    416,
  ]);
});

test('an image has its size soon after it was put, and transforms', async () => {
  const bytes = await photo({ width: 64, height: 48 });
  await put('photos/quay.jpg', bytes, { ContentType: 'image/jpeg' });
  const find = async () => {
    const list = await fetch(`${server.url}/files/${Bucket}?q=quay.jpg`, {
      headers: user.authorization,
    });
    return ((await list.json()) as FilePageWire).data.find(({ name }) => name === 'quay.jpg');
  };
  const file = await until(async () => {
    const found = await find();
    return found && found.width !== null && found;
  });
  expect(file).toMatchObject({ file_type: 'file', width: 64, height: 48 });
  await s3.send(new PutObjectAclCommand({ Bucket, Key: 'photos/quay.jpg', ACL: 'public-read' }));
  const small = await fetch(`${file.url}?width=30&format=png`);
  expect([small.status, small.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect((await get('photos/quay.jpg')).bytes.equals(bytes)).toBe(true);
});

test('keys that differ only in slashes or characters are different objects', async () => {
  const keys = ['k/a', 'k//a', '/k/a', 'k/a/b', "k/' @+%2B #?&=ü新😀", 'k/e\u0301', 'k/\u00e9'];
  for (const one of keys) await put(one);
  for (const one of keys) expect((await get(one)).bytes.toString()).toBe(one);
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k/a' }));
  expect(await refusalOf(get('k/a'))).toEqual(['NoSuchKey', 404]);
  for (const one of keys.slice(1)) expect((await get(one)).bytes.toString()).toBe(one);
});

test('what is put is a private file in the dashboard, and public with public-read', async () => {
  await put('one/private.txt', 'secret');
  await put('one/public.txt', 'hello', { ACL: 'public-read', ContentType: 'text/plain' });
  const cdn = (path: string) => fetch(`${server.url}/cdn/${Bucket}/~/${path}`);
  expect((await cdn('one/private.txt')).status).toBe(404);
  const open = await cdn('one/public.txt');
  expect([open.status, await open.text()]).toEqual([200, 'hello']);
  const anonymous = (path: string) => fetch(`${server.config.s3?.url}/${Bucket}/${path}`);
  expect((await anonymous('one/public.txt')).status).toBe(200);
  for (const path of ['one/private.txt', 'one/none.txt']) {
    const refused = await anonymous(path);
    expect([refused.status, /<Code>(.*)<\/Code>/.exec(await refused.text())?.[1]]).toEqual([
      403,
      'AccessDenied',
    ]);
  }
});

test('a list is in the order of bytes, and is divided by any delimiter', async () => {
  const keys = ['l/a', 'l/b/1', 'l/b/2', 'l/c', 'l/d--1', 'l/d--2', 'l/ü', 'l/ﬀ', 'l/😀'];
  for (const one of keys) await put(one);
  const list = async (more: object) => {
    const page = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'l/', ...more }));
    return [
      page.Contents?.map((one) => one.Key) ?? [],
      page.CommonPrefixes?.map((one) => one.Prefix) ?? [],
      page.KeyCount,
      page.IsTruncated,
    ];
  };
  expect(await list({})).toEqual([keys, [], 9, false]);
  expect(await list({ Delimiter: '/' })).toEqual([
    keys.filter((one) => !one.includes('b')),
    ['l/b/'],
    8,
    false,
  ]);
  expect(await list({ Delimiter: '--', MaxKeys: 5 })).toEqual([
    keys.slice(0, 4),
    ['l/d--'],
    5,
    true,
  ]);
  expect(await list({ MaxKeys: 0 })).toEqual([[], [], 0, false]);
  expect(await list({ StartAfter: 'l/d--2' })).toEqual([keys.slice(6), [], 3, false]);
  const all: (string | undefined)[] = [];
  let token: string | undefined;
  do {
    const page = await s3.send(
      new ListObjectsV2Command({
        ...{ Bucket, Prefix: 'l/', Delimiter: '/', MaxKeys: 1, EncodingType: 'url' },
        ...(token && { ContinuationToken: token }),
      }),
    );
    all.push(page.Contents?.[0]?.Key ?? page.CommonPrefixes?.[0]?.Prefix);
    token = page.NextContinuationToken;
  } while (token);
  expect(all.map((one) => decodeURIComponent(one ?? ''))).toEqual([
    ...['l/a', 'l/b/', 'l/c', 'l/d--1', 'l/d--2', 'l/ü', 'l/ﬀ', 'l/😀'],
  ]);
  const first = await s3.send(
    new ListObjectsCommand({ Bucket, Prefix: 'l/', Delimiter: '/', MaxKeys: 2 }),
  );
  expect([first.NextMarker, first.IsTruncated]).toEqual(['l/b/', true]);
  const rest = await s3.send(
    new ListObjectsCommand({ Bucket, Prefix: 'l/', Delimiter: '/', Marker: 'l/b/' }),
  );
  expect(rest.Contents?.[0]?.Key).toBe('l/c');
  const malformed = new ListObjectsV2Command({ Bucket, ContinuationToken: 'nothing' });
  expect(await refusalOf(s3.send(malformed))).toEqual(['InvalidArgument', 400]);
});

test('of racing creators of a key exactly one wins', async () => {
  const racing = Array.from({ length: 100 }, (_, n) =>
    put('race', `${n}`, { IfNoneMatch: '*' }).then(
      () => n,
      (error) => error.name,
    ),
  );
  const outcomes = await Promise.all(racing);
  const winners = outcomes.filter((one) => typeof one === 'number');
  expect(winners).toHaveLength(1);
  expect(outcomes.filter((one) => one === 'PreconditionFailed')).toHaveLength(99);
  expect((await get('race')).bytes.toString()).toBe(String(winners[0]));
});

test('conditions decide on what is written and read', async () => {
  const { ETag = '' } = await put('conditional', 'one');
  expect(await refusalOf(put('conditional', 'two', { IfMatch: '"other"' }))).toEqual([
    'PreconditionFailed',
    412,
  ]);
  expect(await refusalOf(put('conditional-none', 'two', { IfMatch: ETag }))).toEqual([
    'NoSuchKey',
    404,
  ]);
  await put('conditional', 'two', { IfMatch: ETag });
  expect((await get('conditional')).bytes.toString()).toBe('two');
  expect(await refusalOf(get('conditional', { IfMatch: ETag }))).toEqual([
    'PreconditionFailed',
    412,
  ]);
  const fresh = get('conditional', { IfNoneMatch: `"${md5('two')}"` });
  expect((await refusalOf(fresh))[1]).toBe(304);
});

test('several objects are deleted, and each key is told', async () => {
  for (const one of ['d/a', 'd/b', 'd/ab']) await put(one);
  const Objects = ['d/a', 'd/b', 'd/none', 'd/../x'].map((Key) => ({ Key }));
  const deleted = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  expect(deleted.Deleted?.map((one) => one.Key)).toEqual(['d/a', 'd/b', 'd/none']);
  expect(deleted.Errors?.map(({ Key, Code }) => [Key, Code])).toEqual([
    ['d/../x', 'InvalidRequest'],
  ]);
  expect((await get('d/ab')).bytes.toString()).toBe('d/ab');
});

test('a folder is created without a file, and what is in it stays when it is deleted', async () => {
  await put('folder/', '');
  await put('folder/file', 'kept');
  await put('folder/', '');
  expect((await get('folder/')).ContentLength).toBe(0);
  expect(await refusalOf(put('folder/', 'bytes'))).toEqual(['InvalidRequest', 400]);
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'folder/' }));
  expect(await refusalOf(get('folder/'))).toEqual(['NoSuchKey', 404]);
  expect((await get('folder/file')).bytes.toString()).toBe('kept');
});

test('an object is copied with what is stored with it, or with what the request says', async () => {
  await put('copies/source ü', 'copied', { Metadata: { a: '1' }, ContentType: 'text/x-one' });
  const CopySource = `${Bucket}/${encodeURIComponent('copies/source ü')}`;
  const copy = (Key: string, more = {}) =>
    s3.send(new CopyObjectCommand({ Bucket, Key, CopySource, ...more }));
  const copied = await copy('copies/target');
  expect(copied.CopyObjectResult?.ETag).toBe(`"${md5('copied')}"`);
  expect(await get('copies/target')).toMatchObject({
    ...{ ContentType: 'text/x-one', Metadata: { a: '1' }, ETag: `"${md5('copied')}"` },
  });
  expect(await refusalOf(copy('copies/source ü'))).toEqual(['InvalidRequest', 400]);
  await copy('copies/source ü', { MetadataDirective: 'REPLACE', Metadata: { b: '2' } });
  expect((await get('copies/source ü')).Metadata).toEqual({ b: '2' });
  const stale = copy('copies/other', { CopySourceIfMatch: '"other"' });
  expect(await refusalOf(stale)).toEqual(['PreconditionFailed', 412]);
});

test('buckets are created, listed and deleted by name, and only where nothing is in them', async () => {
  await s3.send(new CreateBucketCommand({ Bucket: 'harbour.photos' }));
  await s3.send(new PutObjectCommand({ Bucket: 'harbour.photos', Key: 'kept', Body: 'kept' }));
  await s3.send(new CreateBucketCommand({ Bucket: 'harbour.photos' }));
  await s3.send(new DeleteObjectCommand({ Bucket: 'harbour.photos', Key: 'kept' }));
  const elsewhere = s3.send(
    new CreateBucketCommand({
      Bucket: 'harbour.photos',
      CreateBucketConfiguration: { LocationConstraint: 'WEUR' as never },
    }),
  );
  expect(await refusalOf(elsewhere)).toEqual(['BucketAlreadyOwnedByYou', 409]);
  for (const name of ['Upper', 'a', 'two..dots', '127.0.0.1', bucket.id]) {
    const refused = await refusalOf(s3.send(new CreateBucketCommand({ Bucket: name })));
    expect(refused).toEqual(['InvalidBucketName', 400]);
  }
  const { Buckets = [] } = await s3.send(new ListBucketsCommand({}));
  expect(Buckets.map(({ Name }) => Name)).toEqual([bucket.id, 'harbour.photos']);
  await s3.send(new HeadBucketCommand({ Bucket: 'harbour.photos' }));
  const location = await s3.send(new GetBucketLocationCommand({ Bucket: 'harbour.photos' }));
  expect(location.LocationConstraint ?? '').toBe('');
  await s3.send(new PutObjectCommand({ Bucket: 'harbour.photos', Key: 'x', Body: 'x' }));
  const remove = () => s3.send(new DeleteBucketCommand({ Bucket: 'harbour.photos' }));
  expect(await refusalOf(remove())).toEqual(['BucketNotEmpty', 409]);
  await s3.send(new DeleteObjectCommand({ Bucket: 'harbour.photos', Key: 'x' }));
  await remove();
  const gone = s3.send(new HeadBucketCommand({ Bucket: 'harbour.photos' }));
  expect((await refusalOf(gone))[1]).toBe(404);
  await s3.send(new CreateBucketCommand({ Bucket: 'harbour.photos' }));
});

test('a bucket with something in its trash is not deleted by an access key', async () => {
  await s3.send(new CreateBucketCommand({ Bucket: 'with-trash' }));
  const { id } = await server.db
    .selectFrom('buckets')
    .select('id')
    .where('s3_name', '=', 'with-trash')
    .executeTakeFirstOrThrow();
  await server.services.buckets.settings.setRetention(user.userId, id, { keep_deleted_days: 3 });
  await s3.send(new PutObjectCommand({ Bucket: id, Key: 'x', Body: 'x' }));
  await s3.send(new DeleteObjectCommand({ Bucket: 'with-trash', Key: 'x' }));
  const deleting = s3.send(new DeleteBucketCommand({ Bucket: 'with-trash' }));
  expect(await refusalOf(deleting)).toEqual(['BucketNotEmpty', 409]);
});

test('a key of another account sees and changes nothing', async () => {
  await put('own', 'own');
  const stranger = s3Client(server, await createS3Key(await signUp(server)));
  const calls = [
    new GetObjectCommand({ Bucket, Key: 'own' }),
    new PutObjectCommand({ Bucket, Key: 'own', Body: 'theirs' }),
    new DeleteObjectCommand({ Bucket, Key: 'own' }),
    new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'own' }] } }),
    new ListObjectsV2Command({ Bucket }),
    new DeleteBucketCommand({ Bucket }),
    new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/own` }),
  ];
  for (const call of calls) {
    expect(await refusalOf(stranger.send(call as GetObjectCommand))).toEqual(['NoSuchBucket', 404]);
  }
  expect((await stranger.send(new ListBucketsCommand({}))).Buckets ?? []).toEqual([]);
  expect((await get('own')).bytes.toString()).toBe('own');
});

test('a key does only what it was created for', async () => {
  await put('scoped', 'scoped');
  const other = await s3.send(new CreateBucketCommand({ Bucket: 'other-scope' }));
  expect(other.Location).toBe('/other-scope');
  const reader = s3Client(server, await createS3Key(user, { access: 'read' }));
  const writer = s3Client(server, await createS3Key(user, { access: 'write' }));
  const scoped = s3Client(server, await createS3Key(user, { buckets: [Bucket] }));
  const putting = () => new PutObjectCommand({ Bucket, Key: 'by-scope', Body: 'x' });
  const getting = () => new GetObjectCommand({ Bucket, Key: 'scoped' });
  expect(await refusalOf(reader.send(putting()))).toEqual(['AccessDenied', 403]);
  expect(await refusalOf(writer.send(getting()))).toEqual(['AccessDenied', 403]);
  await writer.send(putting());
  await reader.send(getting());
  const list = new ListObjectsV2Command({ Bucket: 'other-scope' });
  expect(await refusalOf(scoped.send(list))).toEqual(['NoSuchBucket', 404]);
  const create = new CreateBucketCommand({ Bucket: 'not-for-scoped' });
  expect(await refusalOf(scoped.send(create))).toEqual(['AccessDenied', 403]);
});

test('buckets are listed in pages, of which the last one names no other', async () => {
  const other = await signUp(server);
  const client = s3Client(server, await createS3Key(other));
  const page = async (ContinuationToken?: string) => {
    const list = new ListBucketsCommand({ MaxBuckets: 1, ContinuationToken });
    const { Buckets, ContinuationToken: next } = await client.send(list);
    return { names: Buckets?.map(({ Name }) => Name), next };
  };
  expect(await page()).toEqual({ names: [], next: undefined });
  await client.send(new CreateBucketCommand({ Bucket: 'page-one' }));
  expect(await page()).toEqual({ names: ['page-one'], next: undefined });
  await client.send(new CreateBucketCommand({ Bucket: 'page-two' }));
  const first = await page();
  expect(first.names).toEqual(['page-one']);
  expect(await page(first.next)).toEqual({ names: ['page-two'], next: undefined });
});

test('an ACL says whether an object is public, and changes it', async () => {
  await put('acl', 'open');
  const permissions = async () => {
    const { Grants } = await s3.send(new GetObjectAclCommand({ Bucket, Key: 'acl' }));
    return Grants?.map(({ Permission }) => Permission);
  };
  const statusOf = async () => (await fetch(`${server.config.s3?.url}/${Bucket}/acl`)).status;
  expect([await permissions(), await statusOf()]).toEqual([['FULL_CONTROL'], 403]);
  const change = (ACL: 'public-read' | 'public-read-write') =>
    s3.send(new PutObjectAclCommand({ Bucket, Key: 'acl', ACL }));
  await change('public-read');
  expect([await permissions(), await statusOf()]).toEqual([['READ', 'FULL_CONTROL'], 200]);
  expect(await refusalOf(change('public-read-write'))).toEqual(['InvalidArgument', 400]);
});

test('what no bucket has is told by its own code', async () => {
  const policy = s3.send(new GetBucketPolicyCommand({ Bucket }));
  expect(await refusalOf(policy)).toEqual(['NoSuchBucketPolicy', 404]);
  const { Status } = await s3.send(new GetBucketVersioningCommand({ Bucket }));
  expect(Status).toBeUndefined();
});

test('an unknown sub-resource is not implemented, and creates nothing', async () => {
  const { url = '' } = server.config.s3 ?? {};
  expect((await fetch(`${url}/${Bucket}/x?lifecycle`, { method: 'PUT', body: 'x' })).status).toBe(
    403,
  );
  // Nobody can put a version that is there already.
  const send = signedFetch(server, key);
  const put = await send('PUT', `/${Bucket}/scoped?versionId=null`, { body: 'other' });
  expect([put.status, await put.text()]).toEqual([
    501,
    expect.stringContaining('<Code>NotImplemented</Code>'),
  ]);
  expect((await get('scoped')).bytes.toString()).toBe('scoped');
});
