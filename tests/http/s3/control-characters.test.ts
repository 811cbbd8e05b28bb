import { expect, test } from 'bun:test';
import {
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

/* Keys have no control characters; lists are asked for what lies before and behind them nevertheless. */

const { server, user, bucket } = await sharedBucketInProcess({ S3_PORT: '0' });
const s3 = s3Client(server, await createS3Key(user));
const Bucket = bucket.id;
const REFUSED = ['InvalidRequest', 400] as [string, number];
const CONTROLS = ['\u0000', '\u0001', '\t', '\n', '\r', '\u001f', '\u007f'];
const put = (Key: string, more = {}) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body: 'bytes', ...more }));
const keysOf = async (more: object) =>
  (await s3.send(new ListObjectsV2Command({ Bucket, ...more }))).Contents?.map(({ Key }) => Key) ??
  [];

test.each(CONTROLS)(
  'a key with %j is refused in every call, and nothing is stored',
  async (sign) => {
    const Key = `a${sign}b`;
    expect(await refusalOf(put(Key))).toEqual(REFUSED);
    expect(await refusalOf(put(`${Key}/folder/`, { Body: '' }))).toEqual(REFUSED);
    const begun = s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    expect(await refusalOf(begun)).toEqual(REFUSED);
    expect(await refusalOf(s3.send(new GetObjectCommand({ Bucket, Key })))).toEqual(REFUSED);
    const CopySource = `${Bucket}/${encodeURIComponent(Key)}`;
    const copy = new CopyObjectCommand({ Bucket, Key: 'copy', CopySource });
    expect(await refusalOf(s3.send(copy))).toEqual(REFUSED);
    expect(await keysOf({})).toEqual([]);
    const { Uploads } = await s3.send(new ListMultipartUploadsCommand({ Bucket }));
    expect(Uploads).toBeUndefined();
  },
);

test('a list of keys to delete names the one that can’t be, and deletes the others', async () => {
  await put('deleted');
  const Objects = [{ Key: 'deleted' }, { Key: 'line\nbreak' }];
  const answer = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  expect(answer.Deleted?.map(({ Key }) => Key)).toEqual(['deleted']);
  expect(answer.Errors?.map(({ Code }) => Code)).toEqual(['InvalidRequest']);
  expect(await keysOf({})).toEqual([]);
});

test('every other character comes back byte for byte from lists, also of multipart uploads', async () => {
  const keys = ['\u0080\u009f', '\u2028', '\ufffe', '\uffff', '😀', '+ %25&<>"'].map(
    (name) => `odd/${name}`,
  );
  for (const Key of keys) {
    await put(Key);
    await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  }
  const inOrder = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const url = { Bucket, Prefix: 'odd/', EncodingType: 'url' } as const;
  const decoded = (text: string | undefined) => decodeURIComponent(text ?? '');
  const second = await s3.send(new ListObjectsV2Command(url));
  expect(second.Contents?.map(({ Key }) => decoded(Key))).toEqual(inOrder);
  const first = await s3.send(new ListObjectsCommand(url));
  expect(first.Contents?.map(({ Key }) => decoded(Key))).toEqual(inOrder);
  const versions = await s3.send(new ListObjectVersionsCommand(url));
  expect(versions.Versions?.map(({ Key }) => decoded(Key))).toEqual(inOrder);
  const uploads = await s3.send(new ListMultipartUploadsCommand(url));
  expect(uploads.Uploads?.map(({ Key }) => decoded(Key))).toEqual(inOrder);
  const Objects = keys.map((Key) => ({ Key }));
  await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: Objects.slice(4) } }));
});

// PostgreSQL has no U+0000 in its texts, so such a list is refused there.
test.each(CONTROLS.slice(1))(
  'lists by prefixes, delimiters and markers with %j end where they would be',
  async (sign) => {
    await Promise.all(['list/a', 'list/b'].map((Key) => put(Key)));
    expect(await keysOf({ Prefix: `list/${sign}` })).toEqual([]);
    expect(await keysOf({ Prefix: 'list/', StartAfter: `list/a${sign}` })).toEqual(['list/b']);
    expect(await keysOf({ Prefix: 'list/', Delimiter: sign })).toEqual(['list/a', 'list/b']);
    const first = await s3.send(
      new ListObjectsCommand({ Bucket, Prefix: 'list/', Marker: `list/${sign}` }),
    );
    const behind = sign < 'a' ? ['list/a', 'list/b'] : undefined;
    expect(first.Contents?.map(({ Key }) => Key)).toEqual(behind);
    const range = { Bucket, Prefix: 'list/', Delimiter: sign, KeyMarker: `list/${sign}` };
    const versions = await s3.send(new ListObjectVersionsCommand(range));
    expect(versions.Versions?.map(({ Key }) => Key)).toEqual(behind);
    const marker = { KeyMarker: `list/${sign}`, UploadIdMarker: sign };
    const uploads = await s3
      .send(new ListMultipartUploadsCommand({ Bucket, Prefix: `list/${sign}`, ...marker }))
      .then(
        ({ Uploads = [] }) => Uploads.length,
        (error) => error.name,
      );
    expect([0, 'InvalidArgument']).toContain(uploads);
  },
);

test('a list by U+0000 is empty, or refused where the database has no such character', async () => {
  const empty = await keysOf({ Prefix: 'list/\u0000' }).catch((error) => error.name);
  expect(empty).toEqual(server.config.database.kind === 'postgres' ? 'InvalidRequest' : []);
});
