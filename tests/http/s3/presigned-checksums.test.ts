import { expect, test } from 'bun:test';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, user, bucket } = await groupBucketInProcess({ S3_PORT: '0' });
const s3 = s3Client(server, await createS3Key(user));
const Bucket = bucket.id;
const CRC32_OF_NOTHING = 'AAAAAA==';
const CRC32_OF_HELLO = 'NhCmhg==';

const CHECKSUM = 'x-amz-checksum-crc32';

/** @param ChecksumCRC32 a checksum that is sent as a header */
const presigned = (Key: string, ChecksumCRC32?: string) =>
  getSignedUrl(s3, new PutObjectCommand({ Bucket, Key, ChecksumCRC32 }), {
    expiresIn: 600,
    ...(ChecksumCRC32 && { unhoistableHeaders: new Set([CHECKSUM]) }),
  });

test("a URL that AWS's client presigned with the CRC32 of an empty body takes any body", async () => {
  const url = await presigned('from-browser');
  const query = new URL(url).searchParams;
  expect(query.get(CHECKSUM)).toBe(CRC32_OF_NOTHING);
  expect(query.get('x-amz-sdk-checksum-algorithm')).toBe('CRC32');

  const sent = await fetch(url, { method: 'PUT', body: 'hello' });
  expect([sent.status, await sent.text()]).toEqual([200, '']);
  const object = { Bucket, Key: 'from-browser', ChecksumMode: 'ENABLED' } as const;
  const { Body, ChecksumCRC32 } = await s3.send(new GetObjectCommand(object));
  expect(await Body?.transformToString()).toBe('hello');
  expect(ChecksumCRC32).not.toBe(CRC32_OF_NOTHING);
  const empty = await fetch(await presigned('empty'), { method: 'PUT', body: '' });
  expect(empty.status).toBe(200);
});

test('a checksum that a presigned URL demands as a header is verified, and a wrong one stores nothing', async () => {
  const put = async (Key: string, checksum: string) => {
    const [url, headers] = [await presigned(Key, checksum), { [CHECKSUM]: checksum }];
    const sent = await fetch(url, { method: 'PUT', body: 'hello', headers });
    return [sent.status, /<Code>(.*)<\/Code>/.exec(await sent.text())?.[1]];
  };
  expect(await put('right', CRC32_OF_HELLO)).toEqual([200, undefined]);
  expect(await put('wrong', CRC32_OF_NOTHING)).toEqual([400, 'BadDigest']);
  const head = (Key: string) =>
    s3.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
  expect((await head('right')).ChecksumCRC32).toBe(CRC32_OF_HELLO);
  expect(await refusalOf(head('wrong'))).toEqual(['NotFound', 404]);
});
