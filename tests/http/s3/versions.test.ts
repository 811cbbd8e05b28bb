import { expect, test } from 'bun:test';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectAclCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandInput,
  PutBucketVersioningCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { createBucket, signUp, uploadFile } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { signedFetch } from '../../support/client/signed-fetch.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, user } = await groupBucketInProcess({ S3_PORT: '0' });
const key = await createS3Key(user);
const s3 = s3Client(server, key);
const send = signedFetch(server, key);

/** Returns a bucket without any files, which keeps versions unless it is said otherwise. */
async function openBucket(status: 'Enabled' | null = 'Enabled') {
  const bucket = await createBucket(server, user.token);
  const Bucket = bucket.id;
  const set = (Status: 'Enabled' | 'Suspended') =>
    s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }));
  if (status) await set(status);
  const listAll = (more: Partial<ListObjectVersionsCommandInput> = {}) =>
    s3.send(new ListObjectVersionsCommand({ Bucket, ...more }));
  return {
    Bucket,
    bucket,
    set,
    listAll,
    put: async (Key: string, Body: string) =>
      (await s3.send(new PutObjectCommand({ Bucket, Key, Body }))).VersionId ?? '-',
    get: async (Key: string, VersionId?: string, client = s3) => {
      const got = await client.send(new GetObjectCommand({ Bucket, Key, VersionId }));
      return [await got.Body?.transformToString(), got.VersionId];
    },
    head: (Key: string, VersionId?: string) =>
      s3.send(new HeadObjectCommand({ Bucket, Key, VersionId })),
    remove: (Key: string, VersionId?: string, client: S3Client = s3) =>
      client.send(new DeleteObjectCommand({ Bucket, Key, VersionId })),
    keys: async () =>
      (await s3.send(new ListObjectsV2Command({ Bucket }))).Contents?.map((one) => one.Key) ?? [],
    /** Returns the entries as the document has them: key, id, 'marker' or the size, and whether it is the latest. */
    list: async (query = '') => {
      const text = await (await send('GET', `/${Bucket}?versions${query}`)).text();
      return [...text.matchAll(/<(Version|DeleteMarker)>(.*?)<\/\1>/gs)].map(([, kind, entry]) => {
        const of = (name: string) => entry?.match(`<${name}>(.*?)</${name}>`)?.[1] ?? '';
        const what = kind === 'Version' ? of('Size') : 'marker';
        return [of('Key'), of('VersionId'), what, of('IsLatest') === 'true'] as const;
      });
    },
  };
}

test('each put has a version of its own, which stays what it was', async () => {
  const { put, get, head, list } = await openBucket();
  const first = await put('a', 'one');
  const second = await put('a', 'second');
  expect(first).not.toBe(second);
  expect(await get('a')).toEqual(['second', second]);
  expect(await get('a', first)).toEqual(['one', first]);
  expect(await get('a', second)).toEqual(['second', second]);
  expect(await head('a', first)).toMatchObject({ ContentLength: 3, VersionId: first });
  expect(await list()).toEqual([
    ['a', second, '6', true],
    ['a', first, '3', false],
  ]);
});

test('a bucket that never kept versions tells of none', async () => {
  const { Bucket, put, get, head, remove } = await openBucket(null);
  expect(await put('a', 'one')).toBe('-');
  expect((await head('a')).VersionId).toBeUndefined();
  expect(await get('a', 'null')).toEqual(['one', undefined]);
  const deleted = await remove('a');
  expect([deleted.VersionId, deleted.DeleteMarker]).toEqual([undefined, undefined]);
  const missing = await send('GET', `/${Bucket}/a`);
  expect([missing.status, missing.headers.get('x-amz-delete-marker')]).toEqual([404, null]);
});

test('a deletion is a delete marker, and who deletes that has the object again', async () => {
  const { Bucket, put, get, remove, list, keys } = await openBucket();
  const first = await put('a', 'one');
  const second = await put('a', 'second');
  const { VersionId: marker, DeleteMarker } = await remove('a');
  expect(DeleteMarker).toBe(true);
  expect(await keys()).toEqual([]);
  expect(await list()).toEqual([
    ['a', marker ?? '', 'marker', true],
    ['a', second, '6', false],
    ['a', first, '3', false],
  ]);
  const missing = await send('GET', `/${Bucket}/a`);
  expect([missing.status, await missing.text()]).toEqual([
    404,
    expect.stringContaining('<Code>NoSuchKey</Code>'),
  ]);
  expect(missing.headers.get('x-amz-delete-marker')).toBe('true');
  expect(missing.headers.get('x-amz-version-id')).toBe(marker ?? '');
  const read = await send('HEAD', `/${Bucket}/a?versionId=${marker}`);
  expect([read.status, read.headers.get('allow')]).toEqual([405, 'DELETE']);
  expect(await get('a', first)).toEqual(['one', first]);
  const undone = await remove('a', marker);
  expect([undone.VersionId, undone.DeleteMarker]).toEqual([marker, true]);
  expect(await get('a')).toEqual(['second', second]);
  expect((await list()).map(([, id]) => id)).toEqual([second, first]);
});

test('a key that is deleted twice, or never was, has no further marker', async () => {
  const { put, remove, list } = await openBucket();
  await put('a', 'one');
  const { VersionId } = await remove('a');
  expect(await remove('a')).toMatchObject({ VersionId, DeleteMarker: true });
  expect((await remove('never')).DeleteMarker).toBeUndefined();
  expect((await list()).filter(([, , what]) => what === 'marker')).toHaveLength(1);
});

test('a marker below a newer object is deleted without changing that', async () => {
  const { put, get, remove, list } = await openBucket();
  const old = await put('a', 'old');
  const { VersionId: marker } = await remove('a');
  const current = await put('a', 'current');
  expect((await list()).map(([, id, , isLatest]) => [id, isLatest])).toEqual([
    [current, true],
    [marker ?? '', false],
    [old, false],
  ]);
  await remove('a', marker);
  expect(await get('a')).toEqual(['current', current]);
  expect((await list()).map(([, id]) => id)).toEqual([current, old]);
  // It is a version of the current object now, so it becomes the object once that is deleted for good.
  await remove('a', current);
  expect(await get('a')).toEqual(['old', old]);
});

/** Makes files of the trash due to be purged, which happens at some moment later. */
const makeDue = (ids: string[]) =>
  server.db.updateTable('files').set({ purge_at: 1 }).where('id', 'in', ids).execute();

test('a deletion is undone although a later one is due, and nothing goes with that', async () => {
  const { put, get, remove } = await openBucket();
  const first = await put('a', 'one');
  const { VersionId: marker } = await remove('a');
  const second = await put('a', 'second');
  await remove('a');
  await makeDue([second]);
  await remove('a', marker);
  expect(await get('a')).toEqual(['one', first]);
});

test('a page of folders and versions is full although files are due before them', async () => {
  const { put, remove, listAll } = await openBucket();
  const due = [await put('a', '1'), await put('b', '1'), await put('c', '1')];
  for (const name of ['a', 'b', 'c']) await remove(name);
  await put('d', '1');
  await put('e/f', '1');
  await makeDue(due);
  const page = await listAll({ Delimiter: '/', MaxKeys: 1 });
  expect(page.Versions?.map((one) => one.Key)).toEqual(['d']);
  expect(page.IsTruncated).toBe(true);
});

/** Changes or copies the file at a path as the dashboard does. */
async function change(Bucket: string, path: string, [method, call]: string[], body: object) {
  const { id } = await server.db
    .selectFrom('files')
    .select('id')
    .where('bucket_id', '=', Bucket)
    .where('path', '=', path)
    .where('superseded_at', 'is', null)
    .executeTakeFirstOrThrow();
  return fetch(`${server.url}${call}/${Bucket}/${id}`, {
    method,
    headers: { ...user.authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

test('a key has one version with the id null, whatever comes to it from elsewhere', async () => {
  const { Bucket, set, put, list, get, remove } = await openBucket(null);
  await put('a', '1');
  await set('Enabled');
  await put('a', '22');
  await set('Suspended');
  await put('b', '333');
  const target = { path: 'a', on_conflict: 'replace' };
  const copied = await change(Bucket, 'b', ['POST', '/files/copy'], target);
  expect(copied.status).toBe(200);
  await set('Enabled');
  await put('a', '4444');
  const versions = (await list('&prefix=a')).map(([, id, size]) => [id, size] as const);
  expect(versions.map(([, size]) => size)).toEqual(['4444'.length, 3, 2, 1].map(String));
  expect(new Set(versions.map(([id]) => id)).size).toBe(4);
  expect((await get('a', 'null'))[0]).toBe('333');
  await remove('a', 'null');
  expect((await list('&prefix=a')).map(([, , size]) => size)).toEqual(['4', '2', '1']);
});

test('a processed upload, and a file that is restored with a number, take the id null over', async () => {
  const { Bucket, bucket, set, put, list, remove } = await openBucket(null);
  for (const name of ['photo.png', 'b', 'b (2)']) await put(name, name);
  await set('Enabled');
  for (const name of ['photo.png', 'b', 'b (2)']) await remove(name);
  const nullsOf = async (name: string) =>
    (await list(`&prefix=${encodeURIComponent(name)}`))
      .filter(([, id]) => id === 'null')
      .map(([, , what, isLatest]) => [what, isLatest]);
  expect(await nullsOf('b (2)')).toEqual([['5', false]]);
  await put('b', 'new');
  const [deleted] = await server.db
    .selectFrom('files')
    .select('id')
    .where('bucket_id', '=', Bucket)
    .where('path', '=', 'b')
    .where('removal', '=', 'deleted')
    .execute();
  const url = `${server.url}/files/${Bucket}/${deleted?.id}/restore?on_conflict=rename`;
  const restored = await fetch(url, { method: 'POST', headers: user.authorization });
  expect(restored.status).toBe(200);
  expect(await nullsOf('b (2)')).toEqual([['1', true]]);

  await set('Suspended');
  const uploaded = await uploadFile(
    server,
    bucket,
    'image',
    { path: 'photo.png' },
    await photo(),
    'photo.png',
  );
  expect([uploaded.path, uploaded.status]).toEqual(['photo.png', 'success']);
  const nulls = await nullsOf('photo.png');
  expect(nulls.map(([, isLatest]) => isLatest)).toEqual([true]);
});

test('pages of versions end although a file with the id null is moved to a key that had one', async () => {
  const { Bucket, set, put, list, remove, listAll } = await openBucket(null);
  await put('a', '1');
  await put('b', '22');
  await set('Enabled');
  await put('a', '333');
  await remove('b');
  expect((await change(Bucket, 'a', ['PATCH', '/files'], { path: 'b' })).status).toBe(200);
  const ids = (await list()).map(([, id]) => id);
  expect([ids.length, new Set(ids).size]).toEqual([4, 4]);
  const seen: (string | undefined)[] = [];
  let page = await listAll({ MaxKeys: 1 });
  while (page.IsTruncated && seen.length < 10) {
    seen.push(page.NextVersionIdMarker);
    const { NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page;
    page = await listAll({ MaxKeys: 1, KeyMarker, VersionIdMarker });
  }
  expect(seen).toHaveLength(3);
});

test('the version before becomes the object when the current one is deleted by its id', async () => {
  const { put, get, remove, list } = await openBucket();
  const ids = [await put('a', '1'), await put('a', '22'), await put('a', '333')];
  const deleted = await remove('a', ids[2]);
  expect([deleted.VersionId, deleted.DeleteMarker]).toEqual([ids[2], undefined]);
  expect(await get('a')).toEqual(['22', ids[1]]);
  await remove('a', ids[0]);
  expect((await list()).map(([, id]) => id)).toEqual([ids[1] ?? '']);
  await remove('a', ids[1]);
  expect(await list()).toEqual([]);
  expect(await refusalOf(get('a', ids[0]))).toEqual(['NoSuchVersion', 404]);
});

test('a version under a marker is deleted alone, and the marker stays while others do', async () => {
  const { put, get, remove, list } = await openBucket();
  const [first, second] = [await put('a', '1'), await put('a', '22')];
  const { VersionId: marker } = await remove('a');
  await remove('a', second);
  expect((await list()).map(([, id]) => id)).toEqual([marker ?? '', first]);
  expect(await refusalOf(get('a'))).toEqual(['NoSuchKey', 404]);
  await remove('a', marker);
  expect(await get('a')).toEqual(['1', first]);
});

test('an object from before versioning has the id null, until it is deleted by it', async () => {
  const { put, get, remove, set, list } = await openBucket(null);
  await put('a', 'before');
  await set('Enabled');
  expect(await get('a')).toEqual(['before', 'null']);
  const id = await put('a', 'after');
  expect(await get('a', 'null')).toEqual(['before', 'null']);
  expect((await list()).map(([, version]) => version)).toEqual([id, 'null']);
  await remove('a', 'null');
  expect(await get('a')).toEqual(['after', id]);
  expect(await refusalOf(get('a', 'null'))).toEqual(['NoSuchVersion', 404]);
});

test('a suspended bucket stores objects as null, and keeps the versions that it has', async () => {
  const { put, get, remove, set, list } = await openBucket();
  const kept = await put('a', 'version');
  await set('Suspended');
  // Without an id of its own, as in S3.
  expect(await put('a', 'one')).toBe('-');
  expect(await put('a', 'other')).toBe('-');
  expect(await get('a', 'null')).toEqual(['other', 'null']);
  expect(await get('a', kept)).toEqual(['version', kept]);
  const [latest, ...others] = await list();
  expect(latest).toEqual(['a', 'null', '5', true]);
  expect(others.filter(([, id]) => id === 'null')).toEqual([]);
  await remove('a', 'null');
  expect(await get('a')).toEqual(['version', kept]);
});

test('pages of versions go on at each version, by key and by id', async () => {
  const { put, remove, listAll, list } = await openBucket();
  for (const name of ['a', 'a', 'b', 'c/1', 'c/2', 'd']) await put(name, name);
  await remove('b');
  await remove('c/2');
  const all = await list();
  expect(all.map(([name, , what]) => [name, what])).toEqual([
    ...[
      ['a', '1'],
      ['a', '1'],
      ['b', 'marker'],
      ['b', '1'],
      ['c/1', '3'],
    ],
    ...[
      ['c/2', 'marker'],
      ['c/2', '3'],
      ['d', '1'],
    ],
  ]);
  for (const MaxKeys of [1, 2, 3]) {
    const seen: [string, string][] = [];
    let page = await listAll({ MaxKeys });
    for (;;) {
      const { Versions = [], DeleteMarkers = [], NextKeyMarker, NextVersionIdMarker } = page;
      const ids = [...Versions, ...DeleteMarkers].map(
        (one) => [one.Key, one.VersionId] as [string, string],
      );
      seen.push(...ids);
      if (!page.IsTruncated) break;
      page = await listAll({
        MaxKeys,
        KeyMarker: NextKeyMarker,
        VersionIdMarker: NextVersionIdMarker,
      });
    }
    expect(new Set(seen.map(([, id]) => id))).toEqual(new Set(all.map(([, id]) => id)));
    expect(seen).toHaveLength(all.length);
  }
  const folders = await listAll({ Delimiter: '/', Prefix: '' });
  expect(folders.CommonPrefixes).toEqual([{ Prefix: 'c/' }]);
  expect(folders.Versions?.map((one) => one.Key)).toEqual(['a', 'a', 'b', 'd']);
  expect(folders.DeleteMarkers?.map((one) => one.Key)).toEqual(['b']);
  const inFolder = await listAll({ Prefix: 'c/', Delimiter: '/' });
  expect(inFolder.Versions?.map((one) => one.Key)).toEqual(['c/1', 'c/2']);
  expect(inFolder.CommonPrefixes).toBeUndefined();
  expect((await listAll({ KeyMarker: 'b' })).Versions?.map((one) => one.Key)).toEqual([
    'c/1',
    'c/2',
    'd',
  ]);
});

test('a list goes on although the version has gone at which it stopped', async () => {
  const { put, remove, listAll } = await openBucket();
  const ids = [await put('a', '1'), await put('a', '2'), await put('a', '3')];
  const page = await listAll({ MaxKeys: 1 });
  await remove('a', ids[2]);
  const { NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page;
  const rest = await listAll({ KeyMarker, VersionIdMarker });
  expect(rest.Versions?.map((one) => one.VersionId)).toEqual([ids[1], ids[0]]);
});

test('all versions and markers can be deleted by the list, which empties the bucket', async () => {
  const { Bucket, put, remove, set, listAll, list } = await openBucket();
  for (const name of ['a', 'a', 'a', 'b']) await put(name, name);
  await remove('a');
  await put('a', 'again');
  await remove('b');
  await set('Suspended');
  await put('a', 'suspended');
  await remove('a');
  for (let round = 0; round < 3 && (await list()).length > 0; round += 1) {
    const { Versions = [], DeleteMarkers = [] } = await listAll();
    const Objects = [...Versions, ...DeleteMarkers].map(({ Key = '', VersionId }) => ({
      Key,
      VersionId,
    }));
    const { Errors } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect(Errors).toBeUndefined();
  }
  expect(await list()).toEqual([]);
});

test('DeleteObjects tells of the markers that it creates and deletes', async () => {
  const { Bucket, put } = await openBucket();
  const version = await put('a', '1');
  await put('b', '1');
  const many = async (Objects: { Key: string; VersionId?: string }[]) =>
    (await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))).Deleted ?? [];
  const [created] = await many([{ Key: 'b' }]);
  expect(created).toMatchObject({ Key: 'b', DeleteMarker: true });
  const VersionId = created?.DeleteMarkerVersionId;
  expect(
    await many([
      { Key: 'b', VersionId: VersionId ?? '' },
      { Key: 'a', VersionId: version },
    ]),
  ).toEqual([
    { Key: 'b', VersionId, DeleteMarker: true, DeleteMarkerVersionId: VersionId },
    { Key: 'a', VersionId: version },
  ]);
});

test('a version is copied by its id, also over the current object', async () => {
  const { Bucket, put, get } = await openBucket();
  const old = await put('a', 'old');
  await put('a', 'new');
  const CopySource = `${Bucket}/a?versionId=${old}`;
  const copy = await s3.send(new CopyObjectCommand({ Bucket, Key: 'a', CopySource }));
  expect(copy.CopySourceVersionId).toBe(old);
  expect(await get('a')).toEqual(['old', copy.VersionId]);
  const missing = `${Bucket}/a?versionId=${'0'.repeat(26)}`;
  const refused = s3.send(new CopyObjectCommand({ Bucket, Key: 'b', CopySource: missing }));
  expect(await refusalOf(refused)).toEqual(['NoSuchVersion', 404]);
});

test('a completed upload and attributes tell the version', async () => {
  const { Bucket, put } = await openBucket();
  const old = await put('m', 'old!');
  const Key = 'm';
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const { ETag } = await s3.send(
    new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'part' }),
  );
  const complete = () =>
    s3.send(
      new CompleteMultipartUploadCommand({
        ...{ Bucket, Key, UploadId },
        MultipartUpload: { Parts: [{ ETag, PartNumber: 1 }] },
      }),
    );
  const { VersionId } = await complete();
  expect((await complete()).VersionId).toBe(VersionId);
  const attributes = (version?: string) =>
    s3.send(
      new GetObjectAttributesCommand({
        ...{ Bucket, Key, VersionId: version },
        ObjectAttributes: ['ObjectSize', 'ETag'],
      }),
    );
  expect((await attributes()).VersionId).toBe(VersionId);
  expect(await attributes(old)).toMatchObject({ ObjectSize: 4, VersionId: old });
});

test('an earlier version has an ACL of its own, with which it is restored', async () => {
  const { Bucket, put, remove } = await openBucket();
  const VersionId = await put('a', 'old');
  const current = await put('a', 'new');
  const of = { Bucket, Key: 'a' };
  await s3.send(new PutObjectAclCommand({ ...of, VersionId, ACL: 'public-read' }));
  const grants = async (version?: string) =>
    (await s3.send(new GetObjectAclCommand({ ...of, VersionId: version }))).Grants?.length;
  expect([await grants(VersionId), await grants(current), await grants()]).toEqual([2, 1, 1]);
  const url = `${server.config.s3?.url}/${Bucket}/a`;
  expect((await fetch(`${url}?versionId=${VersionId}`)).status).toBe(403);
  await remove('a', current);
  expect(await (await fetch(url)).text()).toBe('old');
});

test('what is no version, and a version of another key, are refused', async () => {
  const { Bucket, put, get, remove } = await openBucket();
  const id = await put('a', 'x');
  await put('b', 'y');
  expect(await refusalOf(get('b', id))).toEqual(['NoSuchVersion', 404]);
  expect(await refusalOf(get('a', 'wrong'))).toEqual(['InvalidArgument', 400]);
  await remove('b', id);
  expect(await get('a')).toEqual(['x', id]);
  const listed = await send('GET', `/${Bucket}?versions&key-marker=a&version-id-marker=x`);
  expect(await listed.text()).toContain('<Code>InvalidArgument</Code>');
});

test('nobody without the right reads or deletes a version', async () => {
  const { Bucket, put, get, remove, list } = await openBucket();
  const old = await put('a', 'old');
  await s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'new', ACL: 'public-read' }));
  const others = s3Client(server, await createS3Key(await signUp(server)));
  const writer = s3Client(server, await createS3Key(user, { access: 'write' }));
  const reader = s3Client(server, await createS3Key(user, { access: 'read' }));
  const before = await list();
  expect(await refusalOf(get('a', old, others))).toEqual(['NoSuchBucket', 404]);
  expect(await refusalOf(remove('a', old, others))).toEqual(['NoSuchBucket', 404]);
  // Versions protect files from programs that only write.
  expect(await refusalOf(remove('a', old, writer))).toEqual(['AccessDenied', 403]);
  expect(await refusalOf(remove('a', old, reader))).toEqual(['AccessDenied', 403]);
  const url = `${server.config.s3?.url}/${Bucket}/a`;
  expect((await fetch(url)).status).toBe(200);
  for (const id of [old, before[0]?.[1]]) {
    expect((await fetch(`${url}?versionId=${id}`)).status).toBe(403);
  }
  expect(await list()).toEqual(before);
});
