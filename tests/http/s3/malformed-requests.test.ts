import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import {
  CreateMultipartUploadCommand,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketTaggingCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { seeded } from '../../../media/testing/mutations.ts';
import { forEachConcurrent } from '../../../server/platform/concurrency.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { MALFORMED } from '../../support/fixtures/malformed-s3.ts';
import { rounds } from '../../support/fixtures/torture.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const REQUESTS = rounds(10_000, 800);
const AT_A_TIME = 16;

const { server, user, bucket } = await groupBucketInProcess({ S3_PORT: '0' });
const key = await createS3Key(user);
const s3 = s3Client(server, key);
const Bucket = bucket.id;
const { host, hostname, port } = new URL(server.config.s3?.url ?? '');

/** Sends bytes, and returns the first answer; '' where the server closes the connection without one. */
function send(bytes: Uint8Array): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let received = '';
  const socket = connect(Number(port), hostname, () => socket.write(bytes));
  socket.on('data', (part) => {
    received += part.toString('latin1');
    if (isWhole(received)) socket.destroy();
  });
  socket.on('close', () => resolve(received));
  // The server resets a connection whose request it doesn't read to the end.
  socket.on('error', () => {});
  return promise;
}

/** Whether an answer has arrived with its body. */
function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const [, length = '0'] = /^content-length: (\d+)/im.exec(received) ?? [];
  return received.length >= end + 4 + Number(length);
}

test('malformed requests are refused, and change nothing', async () => {
  const object = 'kept';
  await s3.send(new PutObjectCommand({ Bucket, Key: object, Body: 'as it was' }));
  const upload = { Bucket, Key: 'upload' };
  const { UploadId: uploadId = '' } = await s3.send(new CreateMultipartUploadCommand(upload));
  const scene = { host, bucket: Bucket, object, uploadId, key, random: seeded(4949) };
  const codes = new Map<string, number>();

  const kinds = Object.entries(MALFORMED);
  const requests = (function* () {
    for (let n = 0; n < REQUESTS; n += 1) yield kinds[n % kinds.length] ?? [];
  })();
  await forEachConcurrent(requests, AT_A_TIME, async ([kind, create]) => {
    if (!create) return;
    const bytes = create(scene);
    const answer = await send(bytes);
    const [, status = ''] = /^HTTP\/1\.1 (\d{3})/.exec(answer) ?? [];
    const isRefused =
      /^(4\d\d|501)$/.test(status) || (kind === 'noHttp' && /^(505)?$/.test(status));
    if (!isRefused) throw new Error(`${kind}: ${answer}\nanswers ${bytes.toString('latin1')}`);
    const [, code = status] = /<Code>(\w+)<\/Code>/.exec(answer) ?? [];
    codes.set(code, (codes.get(code) ?? 0) + 1);
  });

  // They got further than to the first check.
  const expected = ['MalformedXML', 'InvalidArgument', 'NotImplemented', 'BadDigest', 'InvalidTag'];
  expect([...codes.keys()]).toEqual(expect.arrayContaining(expected));
  console.log(`${REQUESTS} malformed requests: ${JSON.stringify(Object.fromEntries(codes))}`);
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
  expect(Contents.map(({ Key }) => Key)).toEqual([object]);
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: object }));
  expect(await Body?.transformToString()).toBe('as it was');
  const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket }));
  expect(Uploads.map(({ UploadId }) => UploadId)).toEqual([uploadId]);
  const { TagSet } = await s3.send(new GetObjectTaggingCommand({ Bucket, Key: object }));
  expect(TagSet).toEqual([]);
  const { Status } = await s3.send(new GetBucketVersioningCommand({ Bucket }));
  expect(Status).toBeUndefined();
  for (const [what, asking] of [
    ['NoSuchCORSConfiguration', s3.send(new GetBucketCorsCommand({ Bucket }))],
    [
      'NoSuchLifecycleConfiguration',
      s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket })),
    ],
    ['NoSuchTagSet', s3.send(new GetBucketTaggingCommand({ Bucket }))],
  ] as const)
    expect(await refusalOf(asking)).toEqual([what, 404]);
});
