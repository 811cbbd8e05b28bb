import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import {
  type ChecksumAlgorithm,
  type ChecksumType,
  CompleteMultipartUploadCommand,
  type CompleteMultipartUploadCommandInput,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  type UploadPartCommandOutput,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { MIB } from '../../../server/contract/limits.ts';
import { createHasher } from '../../../server/features/s3/checksums/hasher.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, user, bucket } = await groupBucketInProcess({ S3_PORT: '0' });
const s3 = s3Client(server, await createS3Key(user));
const Bucket = bucket.id;
const BODIES = [Buffer.alloc(5 * MIB, 'a'), Buffer.alloc(5 * MIB + 1, 'b'), Buffer.from('c')];
const WHOLE = Buffer.concat(BODIES);

async function digest(algorithm: ChecksumAlgorithm, bytes: Uint8Array): Promise<Buffer> {
  const hasher = await createHasher(algorithm as Parameters<typeof createHasher>[0]);
  hasher.update(bytes);
  return hasher.digest();
}

const memberOf = (algorithm: ChecksumAlgorithm) => `Checksum${algorithm}` as 'ChecksumCRC32';

async function start(Key: string, algorithm: ChecksumAlgorithm, type?: ChecksumType) {
  const created = await s3.send(
    new CreateMultipartUploadCommand({
      ...{ Bucket, Key, ChecksumAlgorithm: algorithm, ChecksumType: type },
    }),
  );
  const { UploadId } = created;
  const upload = { Bucket, Key, UploadId };
  const parts: UploadPartCommandOutput[] = [];
  for (const [n, Body] of BODIES.entries()) {
    const part = { ...upload, PartNumber: n + 1, Body, ChecksumAlgorithm: algorithm };
    parts.push(await s3.send(new UploadPartCommand(part)));
  }
  const member = memberOf(algorithm);
  const named = parts.map((part, n) => ({
    ...{ ETag: part.ETag, PartNumber: n + 1, [member]: part[member] },
  }));
  const complete = (more: Partial<CompleteMultipartUploadCommandInput> = {}) =>
    s3.send(
      new CompleteMultipartUploadCommand({
        ...{ ...upload, MultipartUpload: { Parts: named }, ChecksumType: type },
        ...more,
      }),
    );
  return { created, upload, complete, member, named };
}

for (const [algorithm, type] of [
  ['CRC32', 'COMPOSITE'],
  ['CRC32', 'FULL_OBJECT'],
  ['CRC32C', 'FULL_OBJECT'],
  ['CRC64NVME', 'FULL_OBJECT'],
  ['SHA256', 'COMPOSITE'],
  ['SHA1', 'COMPOSITE'],
] as const) {
  test(`an upload in parts keeps ${algorithm} as ${type}, and tells it`, async () => {
    const Key = `${algorithm}-${type}`;
    const { created, upload, complete, member } = await start(Key, algorithm, type);
    expect(created).toMatchObject({ ChecksumAlgorithm: algorithm, ChecksumType: type });
    const own = await Promise.all(BODIES.map((body) => digest(algorithm, body)));
    const listed = await s3.send(new ListPartsCommand(upload));
    expect(listed).toMatchObject({ ChecksumAlgorithm: algorithm, ChecksumType: type });
    expect(listed.Parts?.map((part) => part[member])).toEqual(
      own.map((one) => one.toString('base64')),
    );
    const expected =
      type === 'FULL_OBJECT'
        ? (await digest(algorithm, WHOLE)).toString('base64')
        : `${(await digest(algorithm, Buffer.concat(own))).toString('base64')}-3`;
    const told = { [member]: expected, ChecksumType: type };
    expect(await complete()).toMatchObject(told);
    expect(await complete()).toMatchObject(told);
    const object = { Bucket, Key, ChecksumMode: 'ENABLED' } as const;
    expect(await s3.send(new HeadObjectCommand(object))).toMatchObject(told);
    // The client compares a checksum of all bytes with what it receives.
    const got = await s3.send(new GetObjectCommand(object));
    const bytes = await got.Body?.transformToByteArray();
    expect(
      createHash('md5')
        .update(bytes ?? '')
        .digest('hex'),
    ).toBe(createHash('md5').update(WHOLE).digest('hex'));
    const part = await s3.send(new GetObjectCommand({ ...object, PartNumber: 2 }));
    await part.Body?.transformToByteArray();
    expect([part[member], part.ChecksumType]).toEqual([own[1]?.toString('base64'), type]);
    const attributes = await s3.send(
      new GetObjectAttributesCommand({
        ...{ Bucket, Key, MaxParts: 2 },
        ObjectAttributes: ['Checksum', 'ObjectParts'],
      }),
    );
    expect(attributes).toMatchObject({
      Checksum: told,
      ObjectParts: {
        ...{ TotalPartsCount: 3, IsTruncated: true, MaxParts: 2 },
        ...{ PartNumberMarker: '0', NextPartNumberMarker: '2' },
        Parts: [
          { PartNumber: 1, Size: 5 * MIB, [member]: own[0]?.toString('base64') },
          { PartNumber: 2, Size: 5 * MIB + 1, [member]: own[1]?.toString('base64') },
        ],
      },
    });
    const CopySource = `${Bucket}/${Key}`;
    await s3.send(new CopyObjectCommand({ Bucket, Key: `${Key}-copy`, CopySource }));
    const copy = await s3.send(new HeadObjectCommand({ ...object, Key: `${Key}-copy` }));
    expect(copy).toMatchObject(told);
  });
}

test('a part that is copied, or sent without a checksum, gets the one of its upload', async () => {
  const Key = 'copied-part';
  await s3.send(new PutObjectCommand({ Bucket, Key: 'plain', Body: 'plain' }));
  const { UploadId } = await s3.send(
    new CreateMultipartUploadCommand({ Bucket, Key, ChecksumAlgorithm: 'SHA256' }),
  );
  const copied = await s3.send(
    new UploadPartCopyCommand({
      ...{ Bucket, Key, UploadId, PartNumber: 1 },
      CopySource: `${Bucket}/plain`,
    }),
  );
  const own = createHash('sha256').update('plain').digest();
  expect(copied.CopyPartResult?.ChecksumSHA256).toBe(own.toString('base64'));
  const { ETag } = copied.CopyPartResult ?? {};
  const completed = await s3.send(
    new CompleteMultipartUploadCommand({
      ...{ Bucket, Key, UploadId },
      MultipartUpload: { Parts: [{ ETag, PartNumber: 1 }] },
    }),
  );
  const composite = createHash('sha256').update(own).digest('base64');
  expect(completed.ChecksumSHA256).toBe(`${composite}-1`);
});

test('what contradicts the parts is refused, and nothing is stored', async () => {
  const Key = 'refused';
  const { upload, complete, member, named } = await start(Key, 'CRC32', 'FULL_OBJECT');
  const other = (await digest('CRC32', Buffer.from('other'))).toString('base64');
  const wrong = named.map((part) => ({ ...part, [member]: other }));
  expect(await refusalOf(complete({ MultipartUpload: { Parts: wrong } }))).toEqual([
    'InvalidPart',
    400,
  ]);
  expect(await refusalOf(complete({ ChecksumCRC32: other }))).toEqual(['BadDigest', 400]);
  expect(await refusalOf(complete({ ChecksumType: 'COMPOSITE' }))).toEqual(['InvalidRequest', 400]);
  expect(await refusalOf(complete({ MpuObjectSize: 5 }))).toEqual(['InvalidRequest', 400]);
  const part = { ...upload, PartNumber: 1, Body: 'x', ChecksumAlgorithm: 'SHA256' } as const;
  expect(await refusalOf(s3.send(new UploadPartCommand(part)))).toEqual(['InvalidRequest', 400]);
  const missing = s3.send(new HeadObjectCommand({ Bucket, Key }));
  expect(await refusalOf(missing)).toEqual(['NotFound', 404]);
  const whole = (await digest('CRC32', WHOLE)).toString('base64');
  expect(await complete({ ChecksumCRC32: whole, MpuObjectSize: WHOLE.byteLength })).toMatchObject({
    ChecksumCRC32: whole,
  });
});

test('a checksum of all bytes can only be one that those of parts make', async () => {
  for (const [ChecksumAlgorithm, ChecksumType] of [
    ['SHA256', 'FULL_OBJECT'],
    ['SHA1', 'FULL_OBJECT'],
    ['CRC64NVME', 'COMPOSITE'],
    ['MD5', undefined],
  ] as const) {
    const created = s3.send(
      new CreateMultipartUploadCommand({
        ...{ Bucket, Key: 'x', ChecksumType },
        ChecksumAlgorithm: ChecksumAlgorithm as ChecksumAlgorithm,
      }),
    );
    expect(await refusalOf(created)).toEqual(['InvalidRequest', 400]);
  }
});
