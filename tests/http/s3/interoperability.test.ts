import { expect, test } from 'bun:test';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { CHECKSUM_ALGORITHMS } from '../../../server/features/s3/checksums/algorithms.ts';
import { CHECKSUM_BYTES, createHasher } from '../../../server/features/s3/checksums/hasher.ts';
import { createBucket } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { signedFetch } from '../../support/client/signed-fetch.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

/* What other S3 servers got wrong, and clients depend on, where no other file is about it. */

const { server, user, bucket } = await groupBucketInProcess({ S3_PORT: '0' });
const key = await createS3Key(user);
const s3 = s3Client(server, key);
const send = signedFetch(server, key);
const Bucket = bucket.id;

const put = (Key: string, Body: string | Uint8Array = Key, more = {}) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
const head = (Key: string, more = {}) => s3.send(new HeadObjectCommand({ Bucket, Key, ...more }));
const text = async (Key: string) =>
  (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString();
const codeOf = async (response: Response) => [
  response.status,
  /<Code>(.*)<\/Code>/.exec(await response.text())?.[1],
];

/** The checksums that a document may have, and how many bytes each has. */
const DOCUMENT_CHECKSUMS = [
  ['content-md5', 'MD5'],
  ...CHECKSUM_ALGORITHMS.map((name) => [`x-amz-checksum-${name.toLowerCase()}`, name] as const),
] as const;
const DOCUMENTS = [
  [
    'DeleteObjects',
    ['POST', '?delete', '<Delete><Object><Key>gone</Key></Object></Delete>'],
    async (Bucket: string) => (await s3.send(new ListObjectsV2Command({ Bucket }))).KeyCount === 0,
  ],
  [
    'PutBucketVersioning',
    [
      ...['PUT', '?versioning'],
      '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
    ],
    async (Bucket: string) =>
      (await s3.send(new GetBucketVersioningCommand({ Bucket }))).Status === 'Enabled',
  ],
  [
    'PutBucketCors',
    [
      ...['PUT', '?cors'],
      '<CORSConfiguration><CORSRule><AllowedOrigin>https://a.example</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>',
    ],
    (Bucket: string) => isThere(s3.send(new GetBucketCorsCommand({ Bucket }))),
  ],
  [
    'PutBucketLifecycleConfiguration',
    [
      ...['PUT', '?lifecycle'],
      '<LifecycleConfiguration><Rule><ID>a</ID><Status>Enabled</Status><Filter><Prefix>x/</Prefix></Filter><Expiration><Days>3</Days></Expiration></Rule></LifecycleConfiguration>',
    ],
    (Bucket: string) => isThere(s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))),
  ],
] as const;

const isThere = (asking: Promise<unknown>) =>
  asking.then(
    () => true,
    () => false,
  );

test.each(DOCUMENTS)(
  '%s takes Content-MD5 or any checksum, and does nothing with a wrong one',
  async (_, [method = '', query, body = ''], isDone) => {
    for (const [header, algorithm] of DOCUMENT_CHECKSUMS) {
      const { id } = await createBucket(server, user.token);
      await s3.send(new PutObjectCommand({ Bucket: id, Key: 'gone', Body: 'x' }));
      const hasher = await createHasher(algorithm);
      hasher.update(Buffer.from(body));
      const right = (await hasher.digest()).toString('base64');
      const wrong = Buffer.alloc(CHECKSUM_BYTES[algorithm]).toString('base64');
      const attempt = (value: string) =>
        send(method, `/${id}${query}`, { body, headers: { [header]: value } });
      const refused = await codeOf(await attempt(wrong));
      expect([header, ...refused, await isDone(id)]).toEqual([header, 400, 'BadDigest', false]);
      expect([header, (await attempt(right)).status]).toEqual([header, 200]);
      expect([header, await isDone(id)]).toEqual([header, true]);
    }
  },
);

test('the checksum of an object is told with the whole of it, and not with a range', async () => {
  await put('summed', 'all of it', { ChecksumAlgorithm: 'SHA256' });
  const get = (more = {}) =>
    s3.send(new GetObjectCommand({ Bucket, Key: 'summed', ChecksumMode: 'ENABLED', ...more }));
  const { ChecksumSHA256 } = await head('summed', { ChecksumMode: 'ENABLED' });
  expect(ChecksumSHA256).toBeString();
  expect((await get()).ChecksumSHA256).toBe(ChecksumSHA256 ?? '');
  const part = await get({ Range: 'bytes=0-2' });
  expect([part.ChecksumSHA256, await part.Body?.transformToString()]).toEqual([undefined, 'all']);
});

test('a key with control characters is refused by every way to it, and lists stay readable', async () => {
  for (const Key of ['a\u0001b', 'line\nbreak', 'nul\0']) {
    const refused: [string, number] = ['InvalidRequest', 400];
    expect(await refusalOf(put(Key, 'x'))).toEqual(refused);
    const upload = s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    expect(await refusalOf(upload)).toEqual(refused);
    await put('plain');
    const copy = s3.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/plain` }));
    expect(await refusalOf(copy)).toEqual(refused);
  }
  await put('odd/a&b<c>"d" %0A');
  for (const EncodingType of ['url', undefined] as const) {
    const list = new ListObjectsV2Command({ Bucket, Prefix: 'odd/', EncodingType });
    const [object] = (await s3.send(list)).Contents ?? [];
    const listed = EncodingType ? decodeURIComponent(object?.Key ?? '') : object?.Key;
    expect(listed).toBe('odd/a&b<c>"d" %0A');
  }
});

test('an upload in parts replaces only the object that it expects', async () => {
  const { ETag = '' } = await put('expected', 'one');
  const complete = async (more: { IfMatch?: string }, Key = 'expected') => {
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const upload = { Bucket, Key, UploadId };
    const part = await s3.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: 'two' }));
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag: part.ETag }] };
    return s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload, ...more }));
  };
  const stale = complete({ IfMatch: '"other"' });
  expect(await refusalOf(stale)).toEqual(['PreconditionFailed', 412]);
  expect(await text('expected')).toBe('one');
  const missing = complete({ IfMatch: ETag }, 'missing');
  expect(await refusalOf(missing)).toEqual(['NoSuchKey', 404]);
  await complete({ IfMatch: ETag });
  expect(await text('expected')).toBe('two');
});

test('an object or a part of it is copied only where its source is what the request expects', async () => {
  const { ETag } = await put('copied/source ü+&');
  const { LastModified } = await head('copied/source ü+&');
  const before = new Date((LastModified?.getTime() ?? 0) - 60_000);
  const after = new Date((LastModified?.getTime() ?? 0) + 1000);
  const Key = 'copied/target';
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const CopySource = `/${Bucket}/${encodeURIComponent('copied/source ü+&')}`;
  const copies = (conditions: object) => [
    () => s3.send(new CopyObjectCommand({ Bucket, Key, CopySource, ...conditions })),
    () =>
      s3.send(
        new UploadPartCopyCommand({
          ...{ Bucket, Key, CopySource, UploadId, PartNumber: 1 },
          ...conditions,
        }),
      ),
  ];
  for (const conditions of [
    { CopySourceIfMatch: '"other"' },
    { CopySourceIfNoneMatch: ETag },
    { CopySourceIfNoneMatch: ETag?.replaceAll('"', '') },
    { CopySourceIfModifiedSince: after },
    { CopySourceIfUnmodifiedSince: before },
  ]) {
    for (const copy of copies(conditions))
      expect([conditions, ...(await refusalOf(copy()))]).toEqual([
        ...[conditions, 'PreconditionFailed', 412],
      ]);
  }
  expect(await refusalOf(text(Key))).toEqual(['NoSuchKey', 404]);
  for (const conditions of [
    { CopySourceIfMatch: ETag },
    // As minio-js sends it.
    { CopySourceIfMatch: ETag?.replaceAll('"', '') },
    { CopySourceIfNoneMatch: '"other"' },
    { CopySourceIfModifiedSince: before },
    { CopySourceIfUnmodifiedSince: after },
    // The ETags decide where both are sent.
    { CopySourceIfMatch: ETag, CopySourceIfUnmodifiedSince: before },
  ]) {
    for (const copy of copies(conditions)) await copy();
  }
  expect(await text(Key)).toBe('copied/source ü+&');
});

test('an object that was put as gzip is sent as it is, with its length, whatever the client accepts', async () => {
  const bytes = Buffer.from(Bun.gzipSync('harbour '.repeat(1000)));
  await put('coded', bytes, { ContentEncoding: 'gzip', ACL: 'public-read' });
  await put('plain', 'harbour '.repeat(1000), { ContentType: 'text/plain', ACL: 'public-read' });
  for (const accepted of ['identity', 'gzip', 'br', '*;q=0']) {
    for (const method of ['GET', 'HEAD']) {
      const fetched = async (Key: string) => {
        const response = await fetch(`${server.config.s3?.url}/${Bucket}/${Key}`, {
          ...{ method, headers: { 'accept-encoding': accepted }, decompress: false },
        });
        const { headers } = response;
        const described = [headers.get('content-encoding'), headers.get('content-length')];
        return [...described, (await response.bytes()).length];
      };
      const sent = (length: number) => [String(length), method === 'GET' ? length : 0];
      expect(await fetched('coded')).toEqual(['gzip', ...sent(bytes.length)]);
      expect(await fetched('plain')).toEqual([null, ...sent(8000)]);
    }
  }
});

test('metadata is kept up to 2 KiB, and refused beyond', async () => {
  const room = 2048 - 'name'.length;
  await put('described', 'x', { Metadata: { name: 'v'.repeat(room) } });
  expect((await head('described')).Metadata).toEqual({ name: 'v'.repeat(room) });
  const larger = put('described', 'y', { Metadata: { name: 'v'.repeat(room + 1) } });
  expect(await refusalOf(larger)).toEqual(['MetadataTooLarge', 400]);
  expect(await text('described')).toBe('x');
});
