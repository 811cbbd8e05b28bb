import { afterAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { MIB } from '../../../server/contract/limits.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, user, bucket } = await groupBucketInProcess({ S3_PORT: '0' });
const key = await createS3Key(user);
const s3 = s3Client(server, key);
const Bucket = bucket.id;
const { host, hostname, port } = new URL(server.config.s3?.url ?? '');
afterAll(() => s3.destroy());

/** Returns what comes before the body of a presigned upload. */
async function uploadHead(Key: string, ...headers: string[]): Promise<string> {
  const target = new URL(await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key })));
  const line = `PUT ${target.pathname}${target.search} HTTP/1.1`;
  return [line, `Host: ${host}`, ...headers, '', ''].join('\r\n');
}

/** Sends a text, and returns all answers until the server closes the connection. */
function answersTo(text: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let received = '';
  const socket = connect(Number(port), hostname, () => socket.write(text));
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
  socket.on('close', () => resolve(received));
  socket.on('error', reject);
  return promise;
}

const stored = async (Key: string) =>
  (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString();

test('a part that is refused is sent again over the same connection', async () => {
  const Key = 'parts';
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const upload = { Bucket, Key, UploadId, PartNumber: 1 };
  const Body = Buffer.alloc(MIB, 'part');
  const ContentMD5 = 'A'.repeat(22).concat('==');
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const wrong = s3.send(new UploadPartCommand({ ...upload, Body, ContentMD5 }));
    expect(await refusalOf(wrong)).toEqual(['BadDigest', 400]);
    const next = s3.send(new HeadObjectCommand({ Bucket, Key: 'none' }));
    expect(await refusalOf(next)).toEqual(['NotFound', 404]);
  }
  await s3.send(new UploadPartCommand({ ...upload, Body: 'first attempt' }));
  const { ETag } = await s3.send(new UploadPartCommand({ ...upload, Body }));
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
  await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }));
  expect(await stored(Key)).toBe(Body.toString());
});

test('a refused body is never taken for the next request', async () => {
  const smuggled = `${await uploadHead('smuggled', 'Content-Length: 1')}x`;
  const allowed = await uploadHead('refused', `Content-Length: ${smuggled.length}`);
  const head = allowed.replace(/X-Amz-Signature=[0-9a-f]{64}/, `X-Amz-Signature=${'0'.repeat(64)}`);
  const last = `GET /${Bucket}/none HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  const answers = (await answersTo(head + smuggled + last)).match(/^HTTP\/1\.1 \d+/gm) ?? [];
  expect(answers.length).toBeWithin(1, 3);
  for (const answer of answers) expect(answer).toBe('HTTP/1.1 403');
  for (const name of ['refused', 'smuggled'])
    expect(await refusalOf(stored(name))).toEqual(['NoSuchKey', 404]);
});

test('a body in chunks without a length is stored without them', async () => {
  const head = await uploadHead('chunked', 'Transfer-Encoding: chunked', 'Connection: close');
  const answer = await answersTo(`${head}3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n`);
  expect(answer).toStartWith('HTTP/1.1 200 ');
  expect(await stored('chunked')).toBe('abcdefg');
});

test('a client that waits to be asked for a body of no bytes is answered', async () => {
  const headers = ['Expect: 100-continue', 'Content-Length: 0', 'Connection: close'];
  const answer = await answersTo(await uploadHead('empty', ...headers));
  expect(answer.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')).toStartWith('HTTP/1.1 200 ');
  expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'empty' }))).ContentLength).toBe(0);
});
