import { expect, test } from 'bun:test';
import { createHash, randomBytes } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { DAY, MIB, MINUTE } from '../../../server/contract/limits.ts';
import { signUp } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

let now = Date.now();
const { server, user, bucket } = await sharedBucketInProcess(
  { S3_PORT: '0', MAX_FILE_BYTES: String(64 * MIB), ACCOUNT_MAX_BYTES: String(60 * MIB) },
  { clock: () => now },
);
const key = await createS3Key(user);
/** Returns a client whose clock is the server's. */
const clientNow = (own = key) => s3Client(server, own, { systemClockOffset: now - Date.now() });
const s3 = clientNow();
const Bucket = bucket.id;
const PART = 5 * MIB;

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest();
const create = async (Key: string, more = {}) =>
  (await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...more }))).UploadId ?? '';
const uploadPart = async (Key: string, UploadId: string, PartNumber: number, Body: Uint8Array) => {
  const { ETag } = await s3.send(
    new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }),
  );
  return { ETag, PartNumber };
};
type Parts = { ETag: string | undefined; PartNumber: number }[];
const complete = (Key: string, UploadId: string, Parts: Parts, more = {}) =>
  s3.send(
    new CompleteMultipartUploadCommand({
      Bucket,
      Key,
      UploadId,
      MultipartUpload: { Parts },
      ...more,
    }),
  );
const get = async (Key: string) => {
  const { Body, ...rest } = await s3.send(new GetObjectCommand({ Bucket, Key }));
  return { ...rest, bytes: Buffer.from((await Body?.transformToByteArray()) ?? []) };
};
const remove = (Key: string) => s3.send(new DeleteObjectCommand({ Bucket, Key }));
const sessions = () =>
  server.db.selectFrom('upload_sessions').select('id').where('protocol', '=', 's3').execute();
test('parts in any order become one object, and completing again gives the same answer', async () => {
  const [first, second, third] = [randomBytes(PART), randomBytes(PART), randomBytes(7)];
  const Key = 'large/file.bin';
  const id = await create(Key, { ContentType: 'text/x-own', Metadata: { a: 'b' } });
  const parts = await Promise.all([
    uploadPart(Key, id, 3, third),
    uploadPart(Key, id, 1, randomBytes(PART)),
    uploadPart(Key, id, 2, second),
  ]);
  parts[1] = await uploadPart(Key, id, 1, first);
  const inOrder = [parts[1], parts[2], parts[0]] as Parts;
  const listed = await s3.send(new ListPartsCommand({ Bucket, Key, UploadId: id, MaxParts: 2 }));
  expect(listed.Parts?.map(({ PartNumber, Size }) => [PartNumber, Size])).toEqual([
    ...[
      [1, PART],
      [2, PART],
    ],
  ]);
  expect([listed.IsTruncated, listed.NextPartNumberMarker]).toEqual([true, '2']);
  expect(await refusalOf(complete(Key, id, [...inOrder].reverse()))).toEqual([
    'InvalidPartOrder',
    400,
  ]);
  const wrong = inOrder.map((part) => ({ ...part, ETag: '"0"' }));
  expect(await refusalOf(complete(Key, id, wrong))).toEqual(['InvalidPart', 400]);
  const etag = createHash('md5')
    .update(Buffer.concat([first, second, third].map(md5)))
    .digest('hex');
  const answers = await Promise.all([1, 2, 3, 4].map(() => complete(Key, id, inOrder)));
  const again = await complete(Key, id, inOrder);
  expect(new Set([...answers, again].map(({ ETag }) => ETag))).toEqual(new Set([`"${etag}-3"`]));
  const got = await get(Key);
  expect(got.bytes.equals(Buffer.concat([first, second, third]))).toBe(true);
  expect(got).toMatchObject({
    ...{ ETag: `"${etag}-3"`, ContentType: 'text/x-own', Metadata: { a: 'b' } },
  });
  const files = await server.db
    .selectFrom('files')
    .select('size')
    .where('path', '=', Key)
    .execute();
  expect(files).toEqual([{ size: 2 * PART + 7 }]);
  const reserved = await server.services.buckets.quotas.storageOf(user.userId);
  expect(reserved).toMatchObject({ stored: 2 * PART + 7, unfinished: 0 });
  expect(await refusalOf(uploadPart(Key, id, 4, third))).toEqual(['NoSuchUpload', 404]);
  await remove(Key);
});

/** Returns how the storage has the parts of an upload, in the order of their numbers. */
async function storedParts(id: string): Promise<string[]> {
  const { home } = server.config.storage;
  const parts = await server.services.uploads.multipart.parts(id, { after: 0, limit: 10 });
  return Promise.all(
    parts.map(async ({ object_key }) => {
      if (home.kind !== 'disk') return 'in a slot';
      const stats = await lstat(join(home.root, 'objects', object_key));
      return stats.isSymbolicLink() ? 'in a slot' : 'by itself';
    }),
  );
}

test('parts of one size are written where they belong, also after one has failed', async () => {
  const Key = 'slots.bin';
  const pieces = [randomBytes(PART), randomBytes(PART), randomBytes(PART), randomBytes(100)];
  const id = await create(Key);
  const damaged = new UploadPartCommand({
    ...{ Bucket, Key, UploadId: id, PartNumber: 2, Body: pieces[1] },
    ContentMD5: md5(Buffer.from('other bytes')).toString('base64'),
  });
  const first = await uploadPart(Key, id, 1, pieces[0] as Buffer);
  expect(await refusalOf(s3.send(damaged))).toEqual(['BadDigest', 400]);
  const rest = await Promise.all(
    [4, 3, 2].map((number) => uploadPart(Key, id, number, pieces[number - 1] as Buffer)),
  );
  expect(await storedParts(id)).toEqual(Array(4).fill('in a slot'));
  await complete(Key, id, [first, ...rest.reverse()]);
  expect((await get(Key)).bytes.equals(Buffer.concat(pieces))).toBe(true);
  await remove(Key);
});

test('a part that is sent again counts once it has arrived as a whole, and is stored by itself', async () => {
  const Key = 'again.bin';
  const pieces = [randomBytes(PART), randomBytes(PART)];
  const [one, two] = pieces as [Buffer, Buffer];
  const id = await create(Key);
  const parts = [await uploadPart(Key, id, 1, one), await uploadPart(Key, id, 2, two)];
  const damaged = new UploadPartCommand({
    ...{ Bucket, Key, UploadId: id, PartNumber: 1, Body: randomBytes(PART) },
    ContentMD5: md5(Buffer.from('other bytes')).toString('base64'),
  });
  expect(await refusalOf(s3.send(damaged))).toEqual(['BadDigest', 400]);
  expect(await storedParts(id)).toEqual(['in a slot', 'in a slot']);
  const other = randomBytes(PART);
  const again = await uploadPart(Key, id, 1, other);
  if (server.config.storage.home.kind === 'disk')
    expect(await storedParts(id)).toEqual(['by itself', 'in a slot']);
  expect(await refusalOf(complete(Key, id, parts))).toEqual(['InvalidPart', 400]);
  await complete(Key, id, [again, ...parts.slice(1)]);
  expect((await get(Key)).bytes.equals(Buffer.concat([other, two]))).toBe(true);
  await remove(Key);
});

test('only some of the parts can be completed, with gaps between them', async () => {
  const pieces = [1, 2, 3, 4].map(() => randomBytes(PART));
  for (const chosen of [[1, 2], [2, 3], [1, 3, 4], [4]]) {
    const Key = `chosen-${chosen.join('-')}`;
    const id = await create(Key);
    const all = await Promise.all(pieces.map((piece, n) => uploadPart(Key, id, n + 1, piece)));
    await complete(
      ...([Key, id] as const),
      all.filter(({ PartNumber }) => chosen.includes(PartNumber)),
    );
    const expected = chosen.map((number) => pieces[number - 1] as Buffer);
    expect((await get(Key)).bytes.equals(Buffer.concat(expected))).toBe(true);
    await remove(Key);
  }
});

test('a part that is too small is refused, except the last', async () => {
  const id = await create('small');
  const parts = [
    await uploadPart('small', id, 1, randomBytes(10)),
    await uploadPart('small', id, 2, randomBytes(10)),
  ];
  expect(await refusalOf(complete('small', id, parts))).toEqual(['EntityTooSmall', 400]);
  await complete('small', id, parts.slice(1));
  expect((await get('small')).ContentLength).toBe(10);
});

test('an upload only creates an object where the client says so', async () => {
  const ids = await Promise.all([create('once'), create('once')]);
  const outcomes = await Promise.all(
    ids.map(async (id) => {
      const part = await uploadPart('once', id, 1, randomBytes(10));
      return complete('once', id, [part], { IfNoneMatch: '*' }).then(
        () => 'created',
        (error) => error.name,
      );
    }),
  );
  expect(outcomes.sort()).toEqual(['PreconditionFailed', 'created']);
  for (const id of ids) {
    await s3
      .send(new AbortMultipartUploadCommand({ Bucket, Key: 'once', UploadId: id }))
      .catch(() => {});
  }
});

test('an aborted upload leaves nothing, also of a part that was arriving', async () => {
  const before = await server.services.buckets.quotas.storageOf(user.userId);
  const id = await create('aborted');
  await uploadPart('aborted', id, 1, randomBytes(1000));
  expect(await server.services.buckets.quotas.storageOf(user.userId)).toEqual({
    ...before,
    unfinished: before.unfinished + 1000,
  });
  await s3.send(new AbortMultipartUploadCommand({ Bucket, Key: 'aborted', UploadId: id }));
  expect(await server.services.buckets.quotas.storageOf(user.userId)).toEqual(before);
  const late = uploadPart('aborted', id, 2, randomBytes(1000));
  expect(await refusalOf(late)).toEqual(['NoSuchUpload', 404]);
  expect(await refusalOf(complete('aborted', id, [{ ETag: '"a"', PartNumber: 1 }]))).toEqual([
    'NoSuchUpload',
    404,
  ]);
});

test('a part that still arrives a minute after its upload was aborted ends then', async () => {
  const id = await create('slow');
  const { buckets, uploads } = server.services;
  const [row, upload] = [await buckets.byId(Bucket), await uploads.multipart.find(Bucket, id)];
  if (!row || !upload) throw new Error('There is no upload.');
  let pieces = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (pieces === 10) return controller.close();
        if (pieces === 1) {
          await s3.send(new AbortMultipartUploadCommand({ Bucket, Key: 'slow', UploadId: id }));
          now += MINUTE;
        }
        pieces += 1;
        controller.enqueue(randomBytes(1000));
      },
    },
    { highWaterMark: 0 },
  );
  const part = { number: 1, length: 10_000, checksum: () => null };
  await expect(uploads.multipart.putPart(row, upload, part, body)).rejects.toMatchObject({
    code: 'gone',
  });
  expect(pieces).toBe(2);
});

test('unfinished uploads are listed by key, and divided by a delimiter', async () => {
  const keys = ['list/a', 'list/b/1', 'list/b/2', 'list/c'];
  const ids = new Map<string, string>();
  for (const one of keys) ids.set(one, await create(one));
  const list = (more = {}) =>
    s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'list/', ...more }));
  const all = await list();
  expect(all.Uploads?.map(({ Key, UploadId }) => [Key, UploadId])).toEqual([...ids]);
  const page = await list({ MaxUploads: 2 });
  expect([page.IsTruncated, page.NextKeyMarker, page.NextUploadIdMarker]).toEqual([
    ...[true, 'list/b/1', ids.get('list/b/1')],
  ]);
  const rest = await list({
    ...{ KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker },
  });
  expect(rest.Uploads?.map(({ Key }) => Key)).toEqual(['list/b/2', 'list/c']);
  const divided = await list({ Delimiter: '/' });
  expect(divided.Uploads?.map(({ Key }) => Key)).toEqual(['list/a', 'list/c']);
  expect(divided.CommonPrefixes?.map(({ Prefix }) => Prefix)).toEqual(['list/b/']);
  for (const [Key, UploadId] of ids) {
    await s3.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
  }
});

test('parts count for the storage limit of the account before they arrive', async () => {
  const id = await create('quota');
  const sent = await Promise.allSettled(
    Array.from({ length: 5 }, (_, n) => uploadPart('quota', id, n + 1, randomBytes(15 * MIB))),
  );
  const { unfinished, limit } = await server.services.buckets.quotas.storageOf(user.userId);
  expect(sent.filter(({ status }) => status === 'fulfilled').length).toBe(3);
  expect(sent.flatMap((one) => (one.status === 'rejected' ? one.reason.name : []))).toEqual([
    ...['QuotaExceeded', 'QuotaExceeded'],
  ]);
  expect(unfinished).toBeLessThanOrEqual(limit ?? 0);
  await s3.send(new AbortMultipartUploadCommand({ Bucket, Key: 'quota', UploadId: id }));
});

test('another account sees, continues and ends no upload', async () => {
  const id = await create('own');
  const part = await uploadPart('own', id, 1, randomBytes(10));
  const stranger = clientNow(await createS3Key(await signUp(server)));
  const own = { Bucket, Key: 'own', UploadId: id };
  const calls = [
    new ListMultipartUploadsCommand({ Bucket }),
    new ListPartsCommand(own),
    new UploadPartCommand({ ...own, PartNumber: 1, Body: 'theirs' }),
    new CompleteMultipartUploadCommand({ ...own, MultipartUpload: { Parts: [part] } }),
    new AbortMultipartUploadCommand(own),
  ];
  for (const call of calls) {
    expect(await refusalOf(stranger.send(call as ListPartsCommand))).toEqual(['NoSuchBucket', 404]);
  }
  await complete('own', id, [part]);
  expect((await get('own')).ContentLength).toBe(10);
});

test('a part is copied from another object, or from a range of it', async () => {
  const source = randomBytes(PART + 100);
  await s3.send(new PutObjectCommand({ Bucket, Key: 'part-source', Body: source }));
  const id = await create('copied');
  const copyPart = async (PartNumber: number, CopySourceRange?: string) => {
    const { CopyPartResult } = await s3.send(
      new UploadPartCopyCommand({
        ...{ Bucket, Key: 'copied', UploadId: id, PartNumber },
        CopySource: `${Bucket}/part-source`,
        ...(CopySourceRange && { CopySourceRange }),
      }),
    );
    return { ETag: CopyPartResult?.ETag, PartNumber };
  };
  const parts = [await copyPart(1), await copyPart(2, 'bytes=90-99')];
  expect(await refusalOf(copyPart(3, `bytes=0-${source.length}`))).toEqual(['InvalidRange', 416]);
  expect(await refusalOf(copyPart(3, 'bytes=9-'))).toEqual(['InvalidArgument', 400]);
  await complete('copied', id, parts);
  const expected = Buffer.concat([source, source.subarray(90, 100)]);
  expect((await get('copied')).bytes.equals(expected)).toBe(true);
  await Promise.all(['copied', 'part-source'].map(remove));
});

test("AWS's own uploader sends a file in parts", async () => {
  const Body = randomBytes(12 * MIB);
  await new Upload({ client: s3, params: { Bucket, Key: 'by-sdk', Body }, partSize: PART }).done();
  expect((await get('by-sdk')).bytes.equals(Body)).toBe(true);
  await remove('by-sdk');
});

test('an upload stays for a week after its last part, and then nothing of it', async () => {
  const id = await create('expiring');
  now += 5 * DAY;
  const client = clientNow();
  await client.send(
    new UploadPartCommand({
      ...{ Bucket, Key: 'expiring', UploadId: id, PartNumber: 1, Body: 'part' },
    }),
  );
  now += 5 * DAY;
  const later = clientNow();
  const list = new ListPartsCommand({ Bucket, Key: 'expiring', UploadId: id });
  expect((await later.send(list)).Parts).toHaveLength(1);
  now += 3 * DAY;
  const last = clientNow();
  expect(await refusalOf(last.send(list))).toEqual(['NoSuchUpload', 404]);
  await server.services.uploads.deleteExpired(new AbortController().signal);
  expect((await sessions()).map((one) => one.id)).not.toContain(id);
});

test('nothing is missing or left over', async () => {
  expect(await findingsOf(server.config)).toEqual([]);
});
