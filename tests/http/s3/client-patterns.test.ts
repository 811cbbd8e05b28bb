import { expect, test } from 'bun:test';
import { createHash, randomBytes } from 'node:crypto';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { MIB } from '../../../server/contract/limits.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

/*
 * What programs that keep their data in S3 send, one request after the other, where they aren't there themselves.
 * `tests/s3/clients.test.ts` has those that are.
 */

const { server, user, bucket } = await groupBucketInProcess({ S3_PORT: '0' });
const key = await createS3Key(user);
const s3 = s3Client(server, key);
const Bucket = bucket.id;
const PART = 5 * MIB;

const bytesOf = async (Key: string, Range?: string) => {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, Range }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
};
const keysBelow = async (Prefix: string, Delimiter?: string) => {
  const page = await s3.send(new ListObjectsV2Command({ Bucket, Prefix, Delimiter }));
  return [...(page.Contents ?? []), ...(page.CommonPrefixes ?? [])].map(
    (one) => ('Key' in one ? one.Key : (one as { Prefix?: string }).Prefix) ?? '',
  );
};
const begin = async (Key: string) =>
  (await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))).UploadId ?? '';
const finish = async (Key: string, UploadId: string) => {
  const { Parts } = await s3.send(new ListPartsCommand({ Bucket, Key, UploadId }));
  await s3.send(
    new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }),
  );
};

test('a Docker registry continues the push of a layer, moves it by copies of parts, and finds it', async () => {
  const layer = randomBytes(2 * PART + 1000);
  const upload = 'docker/registry/v2/repositories/app/_uploads/1/data';
  const begun = await begin(upload);
  const send = (PartNumber: number, Body: Uint8Array) =>
    s3.send(new UploadPartCommand({ Bucket, Key: upload, UploadId: begun, PartNumber, Body }));
  await send(1, layer.subarray(0, PART));
  // The next request of a push may come to another process, which knows the path only.
  const { Uploads = [] } = await s3.send(
    new ListMultipartUploadsCommand({ Bucket, Prefix: upload }),
  );
  expect(Uploads.map((one) => [one.Key, one.UploadId])).toEqual([[upload, begun]]);
  await send(2, layer.subarray(PART, 2 * PART));
  await send(3, layer.subarray(2 * PART));
  await finish(upload, begun);

  const digest = createHash('sha256').update(layer).digest('hex');
  const blob = `docker/registry/v2/blobs/sha256/${digest.slice(0, 2)}/${digest}/data`;
  expect(await refusalOf(s3.send(new HeadObjectCommand({ Bucket, Key: blob })))).toEqual([
    'NotFound',
    404,
  ]);
  const moved = await begin(blob);
  const ranges = [0, PART, 2 * PART].map((from) => [from, Math.min(from + PART, layer.length) - 1]);
  await Promise.all(
    ranges.map(([from, to], at) =>
      s3.send(
        new UploadPartCopyCommand({
          ...{ Bucket, Key: blob, UploadId: moved, PartNumber: at + 1 },
          CopySource: `${Bucket}/${upload}`,
          CopySourceRange: `bytes=${from}-${to}`,
        }),
      ),
    ),
  );
  await finish(blob, moved);
  const head = await s3.send(new HeadObjectCommand({ Bucket, Key: blob }));
  expect(head.ContentLength).toBe(layer.length);
  const Objects = (await keysBelow('docker/registry/v2/repositories/app/_uploads/1')).map(
    (Key) => ({ Key }),
  );
  expect(Objects).toEqual([{ Key: upload }]);
  await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
  expect(await keysBelow('docker/registry/v2/repositories/app/_uploads/')).toEqual([]);
  // A pull that was cut off goes on where it ended.
  expect((await bytesOf(blob, `bytes=${PART - 1}-`)).equals(layer.subarray(PART - 1))).toBe(true);
  expect((await bytesOf(blob)).equals(layer)).toBe(true);
});

/** Sends payloads without a signature of their bytes, as `sign-payload: false` does. */
function withoutSignedPayload(client: S3Client): S3Client {
  client.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> };
      headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
      return next(args);
    },
    { step: 'build', priority: 'low' },
  );
  return client;
}

test.each([
  ['signed', () => s3Client(server, key)],
  ['not signed', () => withoutSignedPayload(s3Client(server, key))],
] as const)(
  'Litestream replicates, restores and prunes with payloads that are %s',
  async (name, connect) => {
    const client = connect();
    const level = `db/${name}/ltx/0000`;
    const names = Array.from({ length: 12 }, (_, at) => {
      const id = (at + 1).toString(16).padStart(16, '0');
      return `${level}/${id}-${id}.ltx`;
    });
    const files = new Map(names.map((one) => [one, randomBytes(4096)]));
    const modes = new Set<string | undefined>();
    client.middlewareStack.add(
      (next) => (args) => {
        modes.add(
          (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'],
        );
        return next(args);
      },
      { step: 'finalizeRequest', priority: 'low' },
    );
    for (const [Key, Body] of files) await client.send(new PutObjectCommand({ Bucket, Key, Body }));
    expect(modes.has('UNSIGNED-PAYLOAD')).toBe(name === 'not signed');
    expect(modes.size).toBe(name === 'not signed' ? 1 : names.length);

    expect(await keysBelow(`db/${name}/ltx/`, '/')).toEqual([`${level}/`]);
    const after = { Bucket, Prefix: `${level}/`, StartAfter: names[3], MaxKeys: 5 };
    const page = await client.send(new ListObjectsV2Command(after));
    expect(page.Contents?.map(({ Key }) => Key)).toEqual(names.slice(4, 9));
    expect(page.Contents?.every(({ LastModified, Size }) => LastModified && Size === 4096)).toBe(
      true,
    );
    for (const [Key, bytes] of files) expect((await bytesOf(Key)).equals(bytes)).toBe(true);

    // It demands that its deletion says of each file that it is gone, or why not.
    const Objects = [...names.slice(0, 10), `${level}/never.ltx`].map((Key) => ({ Key }));
    const { Deleted, Errors = [] } = await client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects } }),
    );
    expect([Deleted?.length, Errors]).toEqual([11, []]);
    expect(await keysBelow(`${level}/`)).toEqual(names.slice(10));
  },
);
