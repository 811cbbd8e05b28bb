import { expect, test } from 'bun:test';
import {
  DeleteObjectsCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandInput,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { createBucket, signUp } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { signedFetch } from '../../support/client/signed-fetch.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, user } = await groupBucketInProcess({ S3_PORT: '0' });
const key = await createS3Key(user);
const s3 = s3Client(server, key);
const { buckets } = server.services;

/** Returns a bucket without any files. */
async function openBucket() {
  const { id: Bucket } = await createBucket(server, user.token);
  const set = (Status: 'Enabled' | 'Suspended', client: S3Client = s3) =>
    client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }));
  return {
    Bucket,
    set,
    status: async () => (await s3.send(new GetBucketVersioningCommand({ Bucket }))).Status,
    kept: async () => (await buckets.get(user.userId, Bucket)).keep_versions,
    put: (Key: string, Body: string) => s3.send(new PutObjectCommand({ Bucket, Key, Body })),
    list: (more: Partial<ListObjectVersionsCommandInput> = {}) =>
      s3.send(new ListObjectVersionsCommand({ Bucket, ...more })),
    /** Returns how many rows of files the bucket has that are versions and will stay. */
    versions: async () => {
      const rows = await server.db
        .selectFrom('files')
        .select('id')
        .where('bucket_id', '=', Bucket)
        .where('removal', '=', 'replaced')
        .where('purge_at', 'is', null)
        .execute();
      return rows.length;
    },
  };
}

test('versioning is the number of versions that a bucket keeps', async () => {
  const { Bucket, set, status, kept } = await openBucket();
  expect(await status()).toBeUndefined();
  await set('Enabled');
  expect([await status(), await kept()]).toEqual(['Enabled', 10]);
  await buckets.settings.setRetention(user.userId, Bucket, { keep_versions: 3 });
  await set('Enabled');
  expect([await status(), await kept()]).toEqual(['Enabled', 3]);
  await set('Suspended');
  expect([await status(), await kept()]).toEqual(['Suspended', 0]);
});

test('versioning that was never on is suspended nevertheless', async () => {
  const { Bucket, set, status } = await openBucket();
  await set('Suspended');
  expect(await status()).toBe('Suspended');
  const { keep_deleted_days, keep_versions } = await buckets.get(user.userId, Bucket);
  expect([keep_deleted_days, keep_versions]).toEqual([0, 0]);
});

test('who turns versioning on keeps deleted objects too, for as long as the bucket says or 30 days', async () => {
  for (const [days, expected] of [
    [0, 30],
    [7, 7],
  ] as const) {
    const { Bucket, set } = await openBucket();
    await buckets.settings.setRetention(user.userId, Bucket, { keep_deleted_days: days });
    await set('Enabled');
    expect((await buckets.get(user.userId, Bucket)).keep_deleted_days).toBe(expected);
  }
});

test('versions that were stored stay when versioning is suspended, and no others do', async () => {
  const { set, put, versions } = await openBucket();
  await set('Enabled');
  for (const body of ['one', 'two', 'three']) await put('a', body);
  expect(await versions()).toBe(2);
  await set('Suspended');
  for (const body of ['four', 'five']) await put('a', body);
  expect(await versions()).toBe(3);
});

test('each change is in the audit log with the key, and what changes nothing is not', async () => {
  const { Bucket, set } = await openBucket();
  for (const status of ['Enabled', 'Enabled', 'Suspended', 'Suspended'] as const) await set(status);
  const entries = await server.db
    .selectFrom('audit_log')
    .select(['action', 'actor_id'])
    .where('subject_id', '=', Bucket)
    .where('action', '=', 'bucket.retention-changed')
    .execute();
  const entry = { action: 'bucket.retention-changed', actor_id: key.id };
  expect(entries as unknown).toEqual([entry, entry]);
});

test('only a key that opens all of the account changes versioning', async () => {
  const { Bucket, set, kept } = await openBucket();
  const stranger = await signUp(server);
  const clientOf = async (...form: Parameters<typeof createS3Key>) =>
    s3Client(server, await createS3Key(...form));
  for (const [client, code, status] of [
    [await clientOf(user, { access: 'read' }), 'AccessDenied', 403],
    [await clientOf(user, { access: 'write' }), 'AccessDenied', 403],
    [await clientOf(user, { buckets: [Bucket] }), 'AccessDenied', 403],
    [await clientOf(stranger), 'NoSuchBucket', 404],
  ] as const) {
    expect(await refusalOf(set('Enabled', client))).toEqual([code, status]);
  }
  expect(await kept()).toBe(0);
});

test('what is not understood changes nothing', async () => {
  const { Bucket, kept } = await openBucket();
  const send = signedFetch(server, key);
  for (const [body, code] of [
    ['', 'MalformedXML'],
    ['<VersioningConfiguration><Status>Enabled</Status>', 'MalformedXML'],
    ['<VersioningConfiguration/>', 'MalformedXML'],
    ['<Other><Status>Enabled</Status></Other>', 'MalformedXML'],
    ['<VersioningConfiguration><Status>enabled</Status></VersioningConfiguration>', 'MalformedXML'],
    [
      '<VersioningConfiguration><Status>Enabled</Status><Status>Enabled</Status></VersioningConfiguration>',
      'MalformedXML',
    ],
    [
      '<VersioningConfiguration><Status>Enabled</Status><Days>1</Days></VersioningConfiguration>',
      'MalformedXML',
    ],
    [
      '<VersioningConfiguration><Status>Enabled</Status><MfaDelete>Enabled</MfaDelete></VersioningConfiguration>',
      'NotImplemented',
    ],
  ] as const) {
    const response = await send('PUT', `/${Bucket}?versioning`, { body });
    expect([body, await response.text()]).toEqual([
      body,
      expect.stringContaining(`<Code>${code}</Code>`),
    ]);
  }
  const wrong = {
    body: '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
  };
  const headers = { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' };
  const refused = await send('PUT', `/${Bucket}?versioning`, { ...wrong, headers });
  expect(await refused.text()).toContain('<Code>BadDigest</Code>');
  expect(await kept()).toBe(0);
});

test('the list of versions of a bucket without versioning has the current objects', async () => {
  const { Bucket, put, list } = await openBucket();
  expect((await list()).Versions ?? []).toEqual([]);
  for (const name of ['a', 'b/1', 'b/2', 'c']) await put(name, name);
  await put('c', 'newer');
  const all = await list();
  expect(all.Versions?.map((one) => [one.Key, one.VersionId, one.IsLatest, one.Size])).toEqual([
    ['a', 'null', true, 1],
    ['b/1', 'null', true, 3],
    ['b/2', 'null', true, 3],
    ['c', 'null', true, 5],
  ]);
  expect(all.DeleteMarkers).toBeUndefined();
  const folders = await list({ Delimiter: '/' });
  expect(folders.Versions?.map((one) => one.Key)).toEqual(['a', 'c']);
  expect(folders.CommonPrefixes?.map((one) => one.Prefix)).toEqual(['b/']);
  const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'c', VersionId: 'null' }));
  expect(await got.Body?.transformToString()).toBe('newer');
});

test('pages of versions go on where the last one ended', async () => {
  const { put, list } = await openBucket();
  for (const name of ['a', 'b/1', 'b/2', 'c', 'd']) await put(name, name);
  const seen: (string | undefined)[] = [];
  let page = await list({ MaxKeys: 1, Delimiter: '/' });
  for (;;) {
    seen.push(page.Versions?.[0]?.Key ?? page.CommonPrefixes?.[0]?.Prefix);
    if (!page.IsTruncated) break;
    const { NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page;
    page = await list({ MaxKeys: 1, Delimiter: '/', KeyMarker, VersionIdMarker });
  }
  expect(seen).toEqual(['a', 'b/', 'c', 'd']);
  expect(await refusalOf(list({ VersionIdMarker: 'null' }))).toEqual(['InvalidArgument', 400]);
  const unknown = { KeyMarker: 'a', VersionIdMarker: 'x' };
  expect(await refusalOf(list(unknown))).toEqual(['InvalidArgument', 400]);
});

test('what the list names can be deleted by it, which empties the bucket', async () => {
  const { Bucket, put, list } = await openBucket();
  for (const name of ['a', 'b']) await put(name, name);
  const { Versions = [] } = await list();
  const Objects = Versions.map(({ Key = '', VersionId }) => ({ Key, VersionId }));
  const result = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  expect([result.Deleted?.length, result.Errors]).toEqual([2, undefined]);
  expect((await list()).Versions ?? []).toEqual([]);
});

test('who may not list a bucket does not list its versions', async () => {
  const { Bucket } = await openBucket();
  const list = (client: S3Client) => client.send(new ListObjectVersionsCommand({ Bucket }));
  const others = s3Client(server, await createS3Key(await signUp(server)));
  expect(await refusalOf(list(others))).toEqual(['NoSuchBucket', 404]);
  const writer = s3Client(server, await createS3Key(user, { access: 'write' }));
  expect(await refusalOf(list(writer))).toEqual(['AccessDenied', 403]);
});
