import { describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutBucketTaggingCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { createBucket, signUp } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

/*
 * What somebody tries who has no key, a key that only reads one bucket, or a key of another account. Nothing of it changes
 * the bucket that is attacked, or tells what is in it.
 */

const { server, user, bucket } = await sharedBucketInProcess({
  ...{ S3_PORT: '0', S3_DOMAIN: 's3.example.test', ACCOUNT_MAX_OPEN_UPLOADS: '20' },
});
const url = server.config.s3?.url ?? '';
const { port } = new URL(url);
const owner = s3Client(server, await createS3Key(user));
const other = await createBucket(server, user.token);
const reader = s3Client(server, await createS3Key(user, { access: 'read', buckets: [bucket.id] }));
const writer = s3Client(server, await createS3Key(user, { access: 'write', buckets: [bucket.id] }));
const stranger = await signUp(server);
const strange = s3Client(server, await createS3Key(stranger));
const strangeBucket = await createBucket(server, stranger.token);
const Bucket = bucket.id;
const SECRET = 'nobody else reads this';

const put = (Key: string, Body = SECRET, client = owner, into = Bucket) =>
  client.send(new PutObjectCommand({ Bucket: into, Key, Body }));
const textOf = async (Key: string, into = Bucket) =>
  (await owner.send(new GetObjectCommand({ Bucket: into, Key }))).Body?.transformToString();

await put('secret');
await put('other', SECRET, owner, other.id);
const { UploadId } = await owner.send(new CreateMultipartUploadCommand({ Bucket, Key: 'open' }));
await owner.send(
  new UploadPartCommand({ Bucket, Key: 'open', UploadId, PartNumber: 1, Body: SECRET }),
);

/** Sends bytes as they are, and returns the first line of the answer, the code, and all of it. */
async function raw(lines: string[], body = ''): Promise<{ status: string; all: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let received = '';
  const text = `${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`;
  const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
  socket.on('close', () => resolve(received));
  socket.on('error', reject);
  const all = await promise;
  return { status: all.split(' ')[1] ?? '', all };
}

describe('a presigned URL', () => {
  const presign = (more = {}) =>
    getSignedUrl(owner, new GetObjectCommand({ Bucket, Key: 'secret', ...more }), {
      expiresIn: 600,
    });

  test('opens what it is for by its method, and nothing else', async () => {
    const signed = await presign();
    expect(await (await fetch(signed)).text()).toBe(SECRET);
    for (const method of ['PUT', 'DELETE', 'POST', 'HEAD', 'PATCH']) {
      const body = method === 'PUT' || method === 'POST' ? 'x' : undefined;
      const { status } = await fetch(signed, { method, ...(body && { body }) });
      expect([method, status]).toEqual([method, 403]);
    }
    const query = new URL(signed).search;
    for (const path of [
      `/${Bucket}/secre%74/`,
      `/${Bucket}//secret`,
      `/${Bucket}/secret%00`,
      `/${Bucket}/./secret`,
      `/${Bucket}/x/../secret`,
      `/${Bucket}/x%2f..%2fsecret`,
      `/${other.id}/other`,
      `//${Bucket}/secret`,
      `/${Bucket}`,
      '/',
    ]) {
      const { status, all } = await raw([
        `GET ${path}${query} HTTP/1.1`,
        `Host: 127.0.0.1:${port}`,
      ]);
      expect([path, /^4\d\d$/.test(status)]).toEqual([path, true]);
      expect(all).not.toContain(SECRET);
    }
  });

  test('opens nothing with what is added to it, also where that is sent twice', async () => {
    const signed = await presign();
    for (const added of [
      '&versionId=null',
      '&response-content-type=text%2Fhtml',
      '&acl',
      '&uploads',
      '&X-Amz-Expires=604800',
      '&X-Amz-SignedHeaders=host%3Bx-amz-acl',
      '&x-amz-acl=public-read',
      '&partNumber=1',
    ]) {
      const response = await fetch(signed + added);
      expect([added, response.status]).toEqual([added, 403]);
    }
    const doubled = signed.replace(
      'X-Amz-Signature=',
      `X-Amz-Signature=${'0'.repeat(64)}&X-Amz-Signature=`,
    );
    expect((await fetch(doubled)).status).toBe(403);
    const withHeader = await fetch(signed, { headers: { 'x-amz-acl': 'public-read' } });
    expect(withHeader.status).toBe(403);
    const twice = await fetch(signed, { headers: { authorization: 'AWS4-HMAC-SHA256 x' } });
    expect(twice.status).toBe(400);
  });

  test('is of the host that was signed, be it that of a bucket or of all', async () => {
    const { pathname, search } = new URL(await presign());
    const send = (host: string, path: string) =>
      raw([`GET ${path}${search} HTTP/1.1`, `Host: ${host}`]);
    for (const [host, path] of [
      [`${Bucket}.s3.example.test`, '/secret'],
      [`${Bucket}.s3.example.test`, pathname],
      [`${other.id}.s3.example.test`, '/other'],
      ['evil.example', '/secret'],
    ] as const) {
      const { status, all } = await send(host, path);
      expect([host, path, status]).toEqual([host, path, '403']);
      expect(all).not.toContain(SECRET);
    }
    // A target with another host does not change who is asked.
    const absolute = await raw([
      `GET http://${other.id}.s3.example.test${pathname}${search} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
    ]);
    expect(absolute.status).toBe('200');
    const hosts = await raw([
      `GET ${pathname}${search} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `Host: ${other.id}.s3.example.test`,
    ]);
    expect(hosts.all).not.toContain(SECRET);
  });
});

test('a key that only reads one bucket writes nowhere, and reads no other one', async () => {
  const denied = ['AccessDenied', 403];
  const CopySource = `${Bucket}/secret`;
  const calls: [string, () => Promise<unknown>][] = [
    ['put', () => put('new', 'x', reader)],
    ['delete', () => reader.send(new DeleteObjectCommand({ Bucket, Key: 'secret' }))],
    [
      'delete several',
      () =>
        reader.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'secret' }] } })),
    ],
    ['copy', () => reader.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource }))],
    ['create upload', () => reader.send(new CreateMultipartUploadCommand({ Bucket, Key: 'new' }))],
    [
      'part',
      () =>
        reader.send(
          new UploadPartCommand({ Bucket, Key: 'open', UploadId, PartNumber: 2, Body: 'x' }),
        ),
    ],
    [
      'abort',
      () => reader.send(new AbortMultipartUploadCommand({ Bucket, Key: 'open', UploadId })),
    ],
    [
      'complete',
      () =>
        reader.send(
          new CompleteMultipartUploadCommand({
            ...{ Bucket, Key: 'open', UploadId },
            MultipartUpload: { Parts: [{ PartNumber: 1, ETag: '"x"' }] },
          }),
        ),
    ],
    [
      'versioning',
      () =>
        reader.send(
          new PutBucketVersioningCommand({
            Bucket,
            VersioningConfiguration: { Status: 'Enabled' },
          }),
        ),
    ],
    ['tags', () => reader.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet: [] } }))],
  ];
  for (const [name, call] of calls) {
    expect([name, ...(await refusalOf(call()))]).toEqual([name, ...denied]);
  }
  const elsewhere = reader.send(new GetObjectCommand({ Bucket: other.id, Key: 'other' }));
  expect((await refusalOf(elsewhere))[1]).toBeGreaterThanOrEqual(403);
  // And one that only writes reads nothing, also not by a copy of its own.
  const copied = new CopyObjectCommand({ Bucket, Key: 'copy', CopySource });
  expect(await refusalOf(writer.send(copied))).toEqual(['AccessDenied', 403]);
  const wider = new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${other.id}/other` });
  expect((await refusalOf(writer.send(wider)))[1]).toBeGreaterThanOrEqual(403);
});

test('a key of another account reaches nothing by copies, versions, parts or uploads', async () => {
  const CopySource = `${Bucket}/secret`;
  const head = await owner.send(new HeadObjectCommand({ Bucket, Key: 'secret' }));
  const into = strangeBucket.id;
  const own = await strange.send(new CreateMultipartUploadCommand({ Bucket: into, Key: 'own' }));
  const mine = { Bucket: into, Key: 'own', UploadId: own.UploadId };
  const calls: [string, () => Promise<unknown>][] = [
    ['copy', () => strange.send(new CopyObjectCommand({ Bucket: into, Key: 'c', CopySource }))],
    [
      'copy of an ETag',
      () =>
        strange.send(
          new CopyObjectCommand({
            ...{ Bucket: into, Key: 'c', CopySource, CopySourceIfMatch: head.ETag },
          }),
        ),
    ],
    [
      'copy of a version',
      () =>
        strange.send(
          new CopyObjectCommand({
            ...{ Bucket: into, Key: 'c', CopySource: `${into}/secret?versionId=${bucket.id}` },
          }),
        ),
    ],
    [
      'part copy',
      () => strange.send(new UploadPartCopyCommand({ ...mine, PartNumber: 1, CopySource })),
    ],
    [
      'a foreign upload in their own bucket',
      () =>
        strange.send(
          new UploadPartCommand({ ...mine, Key: 'open', UploadId, PartNumber: 1, Body: 'x' }),
        ),
    ],
    [
      'parts of a foreign upload',
      () => strange.send(new ListPartsCommand({ ...mine, Key: 'open', UploadId })),
    ],
    [
      'an abort of a foreign upload',
      () => strange.send(new AbortMultipartUploadCommand({ ...mine, Key: 'open', UploadId })),
    ],
    ['a foreign bucket', () => strange.send(new GetObjectCommand({ Bucket, Key: 'secret' }))],
    ['a foreign list', () => strange.send(new ListObjectsV2Command({ Bucket }))],
    ['a foreign put', () => put('new', 'x', strange)],
  ];
  for (const [name, call] of calls) {
    const [code, status] = await refusalOf(call());
    expect([name, status]).toEqual([name, 404]);
    expect([name, code.startsWith('NoSuch')]).toEqual([name, true]);
  }
  await strange.send(new AbortMultipartUploadCommand(mine));
});

test('the upload of another bucket of the account is none of this one', async () => {
  const elsewhere = { Bucket: other.id, Key: 'open', UploadId };
  for (const command of [
    new UploadPartCommand({ ...elsewhere, PartNumber: 1, Body: 'x' }),
    new ListPartsCommand(elsewhere),
    new AbortMultipartUploadCommand(elsewhere),
  ]) {
    expect(await refusalOf(owner.send(command as AbortMultipartUploadCommand))).toEqual([
      ...(['NoSuchUpload', 404] as const),
    ]);
  }
  // Nor is it one of another key.
  const renamed = new ListPartsCommand({ Bucket, Key: 'opened', UploadId });
  expect(await refusalOf(owner.send(renamed))).toEqual(['NoSuchUpload', 404]);
});

test('parts are copied only from ranges that a source has', async () => {
  const part = { Bucket, Key: 'open', UploadId, PartNumber: 9, CopySource: `${Bucket}/secret` };
  const size = SECRET.length;
  for (const [range, code] of [
    [`bytes=0-${size}`, 'InvalidRange'],
    [`bytes=${size}-${size}`, 'InvalidRange'],
    ['bytes=5-4', 'InvalidArgument'],
    ['bytes=-5', 'InvalidArgument'],
    ['bytes=0-', 'InvalidArgument'],
    ['bytes=0-1,3-4', 'InvalidArgument'],
    ['bytes=0-99999999999999999999', 'InvalidArgument'],
  ] as const) {
    const copy = owner.send(new UploadPartCopyCommand({ ...part, CopySourceRange: range }));
    expect([range, (await refusalOf(copy))[0]]).toEqual([range, code]);
  }
});

test('no more than 1,000 keys are deleted at once, and none of them where there are more', async () => {
  const Objects = Array.from({ length: 1001 }, (_, n) => ({ Key: n === 0 ? 'secret' : `${n}` }));
  const call = owner.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  expect(await refusalOf(call)).toEqual(['MalformedXML', 400]);
  expect(await textOf('secret')).toBe(SECRET);
});

test('an account opens a bounded number of uploads, and others are not kept from theirs', async () => {
  // What another test has ended may count for a moment.
  const account = await signUp(server);
  const client = s3Client(server, await createS3Key(account));
  const { id } = await createBucket(server, account.token);
  const create = (n: number) =>
    client.send(new CreateMultipartUploadCommand({ Bucket: id, Key: `many/${n}` }));
  const codes = await Promise.all(
    Array.from({ length: 30 }, (_, n) =>
      create(n).then(
        () => 'created',
        (error) => error.name,
      ),
    ),
  );
  expect(codes.filter((code) => code === 'created').length).toBe(20);
  expect(new Set(codes)).toEqual(new Set(['created', 'QuotaExceeded']));
  const theirs = { Bucket: strangeBucket.id, Key: 'own' };
  const begun = await strange.send(new CreateMultipartUploadCommand(theirs));
  await strange.send(new AbortMultipartUploadCommand({ ...theirs, UploadId: begun.UploadId }));
});

test('and nothing of all this has changed the bucket', async () => {
  const { Contents } = await owner.send(new ListObjectsV2Command({ Bucket }));
  expect(Contents?.map(({ Key, Size }) => [Key, Size])).toEqual([['secret', SECRET.length]]);
  const { Parts } = await owner.send(new ListPartsCommand({ Bucket, Key: 'open', UploadId }));
  expect(Parts?.length).toBe(1);
  expect(await findingsOf(server.config)).toEqual([]);
});
