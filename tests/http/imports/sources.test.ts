import { afterAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutPublicAccessBlockCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { remoteBuckets } from '../../../server/adapters/remote-bucket.ts';
import { KIB, MIB, SECOND } from '../../../server/contract/limits.ts';
import type {
  BucketSourceWire,
  FilePageWire,
  S3ImportWire,
} from '../../../server/contract/wire.ts';
import { SourceFetches } from '../../../server/features/imports/service.ts';
import { MAX_MISSES_PER_READER } from '../../../server/features/imports/sources/miss-rates.ts';
import { createBucket, createToken, signUp } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { until } from '../../support/client/wait.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedServerInProcess } from '../../support/server/in-process-server.ts';
import { startFileSource } from '../../support/services/file-source.ts';

/* A bucket fetches what it does not have from another S3 server, which is Wharf too, or one that does as a test says. */

let passed = 0;
/** The time while it stands still. */
let still: number | null = null;
const clock = () => still ?? Date.now() + passed;
/** Does what has to be over before something is forgotten, however long that takes. */
async function inNoTime(work: () => Promise<void>): Promise<void> {
  still = clock();
  try {
    await work();
  } finally {
    still = null;
  }
}
const here = await sharedServerInProcess({ S3_PORT: '0', WEBHOOK_ALLOW_PRIVATE: 'yes' }, { clock });
const there = await sharedServerInProcess({ S3_PORT: '0' });
const user = await signUp(here);
const s3 = s3Client(here, await createS3Key(user));
const [theirUser, theirKey] = await signUp(there).then(
  async (owner) => [owner, await createS3Key(owner)] as const,
);
const source = s3Client(there, theirKey);
const fake = await startFileSource();
afterAll(() => fake.stop());

let count = 0;
const newName = () => {
  count += 1;
  return `source-${count}`;
};
/** Creates a bucket on the other server. */
async function newSource(): Promise<string> {
  const Bucket = newName();
  await source.send(new CreateBucketCommand({ Bucket }));
  return Bucket;
}
const putThere = (Bucket: string, Key: string, Body: string | Uint8Array, more = {}) =>
  source.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
const settingsFor = (bucket: string, more = {}) => ({
  ...{ endpoint: there.config.s3?.url ?? '', bucket, access: 'public' },
  ...{ access_key_id: theirKey.access_key_id, secret_access_key: theirKey.secret_access_key },
  ...more,
});
const call = (method: string, id: string, body?: unknown, headers = user.authorization as object) =>
  fetch(`${here.url}/buckets/source/${id}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
async function setSource(id: string, settings: object): Promise<BucketSourceWire> {
  const response = await call('PUT', id, settings);
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.any(String)]);
  return JSON.parse(text);
}
const sourceOf = async (id: string) =>
  ((await (await call('GET', id)).json()) as { source: BucketSourceWire | null }).source;

type Answer = (response: ServerResponse, request: IncomingMessage) => void;
/** Creates a bucket whose source answers as it is told, and the function that sets the answer for a key. */
async function withFake(more = {}) {
  const name = newName();
  fake.serve(`/${name}/`, '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>');
  const bucket = await createBucket(here, user.token);
  await setSource(bucket.id, settingsFor(name, { endpoint: fake.url, ...more }));
  return {
    bucket,
    serve: (key: string, answer: Answer | string | Uint8Array) =>
      fake.serve(`/${name}/${key}`, answer),
    serveSlowly: (key: string) =>
      fake.serveSlowly(`/${name}/${key}`, new Uint8Array(64 * KIB)).requests,
    /** How often objects were asked for. */
    asked: (key?: string) =>
      fake.requested.filter((path) =>
        key === undefined
          ? path.startsWith(`/${name}/`) && path !== `/${name}/`
          : path === `/${name}/${key}`,
      ).length,
  };
}

const cdn = (id: string, path: string, init?: RequestInit) =>
  fetch(`${here.url}/cdn/${id}/~/${path}`, init);
const get = async (Bucket: string, Key: string, more = {}) => {
  const { Body, ...head } = await s3.send(new GetObjectCommand({ Bucket, Key, ...more }));
  return { ...head, text: await Body?.transformToString() };
};
const rowsOf = (id: string) =>
  here.db.selectFrom('files').select(['id', 'path']).where('bucket_id', '=', id).execute();
async function rowOf(id: string) {
  const row = await here.services.buckets.byId(id);
  if (!row) throw new Error('the bucket is gone');
  return row;
}
/** Fetches as another process does. */
function otherProcess(checkIntervalMs?: number) {
  const { config, services } = here;
  const deps = { ...config, ...services, openRemoteBucket: remoteBuckets(config) };
  return new SourceFetches(deps, checkIntervalMs);
}
const setRules = (id: string, rules: object) =>
  fetch(`${here.url}/buckets/upload-rules/${id}`, {
    method: 'PUT',
    headers: { ...user.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      allowed_types: [],
      max_file_bytes: null,
      storage_limit: null,
      ...rules,
    }),
  });
const MISSING = ['NoSuchKey', 404] as [string, number];
const READER = { id: 'reader', mayOpen: () => true };
/** Keeps deleted files for some days. */
const keepDeleted = (id: string) =>
  fetch(`${here.url}/buckets/retention/${id}`, {
    method: 'PUT',
    headers: { ...user.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ keep_deleted_days: 7 }),
  });

describe('a file that is still at the source', () => {
  test('is read by S3 clients and by the CDN, with its type and metadata, and kept', async () => {
    const [bucket, name] = [await createBucket(here, user.token), await newSource()];
    const large = randomBytes(300_000);
    await putThere(name, 'docs/page.html', '<h1>Harbour</h1>', {
      ...{ ContentType: 'text/html; charset=utf-8', CacheControl: 'max-age=60' },
      Metadata: { owner: 'Ana' },
    });
    await putThere(name, 'größe/ü 1.bin', large);
    const set = await setSource(bucket.id, settingsFor(name));
    expect(set).toMatchObject({
      bucket: name,
      prefix: '',
      folder: '',
      access: 'public',
      error: null,
    });

    expect(await get(bucket.id, 'docs/page.html')).toMatchObject({
      ...{ text: '<h1>Harbour</h1>', ContentType: 'text/html; charset=utf-8' },
      ...{ CacheControl: 'max-age=60', Metadata: { owner: 'Ana' } },
    });
    const delivered = await cdn(bucket.id, `${encodeURIComponent('größe')}/%C3%BC%201.bin`);
    expect(delivered.status).toBe(200);
    expect(Buffer.from(await delivered.arrayBuffer()).equals(large)).toBe(true);

    // It is here now, and counted, whatever becomes of the source.
    await source.send(new DeleteObjectCommand({ Bucket: name, Key: 'docs/page.html' }));
    await source.send(new DeleteObjectCommand({ Bucket: name, Key: 'größe/ü 1.bin' }));
    expect((await get(bucket.id, 'docs/page.html')).text).toBe('<h1>Harbour</h1>');
    expect((await cdn(bucket.id, 'gr%C3%B6%C3%9Fe/%C3%BC%201.bin')).status).toBe(200);
    const row = await here.services.buckets.byId(bucket.id);
    expect([row?.total_uploads, row?.usage]).toEqual([2, 16 + 300_000]);
    expect(await findingsOf(here.config)).toEqual([]);
  });

  test('answers HEAD, ranges, conditions and attributes as if it had been here', async () => {
    const [bucket, name] = [await createBucket(here, user.token), await newSource()];
    for (const key of ['head', 'range', 'attributes', 'conditional']) {
      await putThere(name, key, '0123456789');
    }
    await setSource(bucket.id, settingsFor(name));
    const Bucket = bucket.id;
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'head' }));
    expect(head.ContentLength).toBe(10);
    expect((await cdn(Bucket, 'head', { method: 'HEAD' })).headers.get('content-length')).toBe(
      '10',
    );
    expect((await get(Bucket, 'range', { Range: 'bytes=2-4' })).text).toBe('234');
    const attributes = new GetObjectAttributesCommand({
      ...{ Bucket, Key: 'attributes', ObjectAttributes: ['ObjectSize'] },
    });
    expect((await s3.send(attributes)).ObjectSize).toBe(10);
    const other = get(Bucket, 'conditional', { IfMatch: '"other"' });
    expect(await refusalOf(other)).toEqual(['PreconditionFailed', 412]);
  });

  test('is found below the folder and the prefix of the source, and nowhere else', async () => {
    const [bucket, name] = [await createBucket(here, user.token), await newSource()];
    await putThere(name, '2026/a.txt', 'new');
    await putThere(name, '2025/a.txt', 'old');
    await setSource(bucket.id, settingsFor(name, { prefix: '2026', folder: 'archive' }));
    expect(await (await cdn(bucket.id, 'archive/a.txt')).text()).toBe('new');
    for (const path of ['a.txt', '2026/a.txt', '2025/a.txt', 'archive/../2025/a.txt', 'archive/']) {
      expect((await cdn(bucket.id, path)).status).toBe(404);
    }
    expect((await rowsOf(bucket.id)).map(({ path }) => path)).toEqual(['archive/a.txt']);
  });

  test('is in no list before it is read, and is skipped by an import after it', async () => {
    const [bucket, name] = [await createBucket(here, user.token), await newSource()];
    for (const key of ['a', 'b', 'c']) await putThere(name, key, key);
    const parts = { client: source, partSize: 5 * MIB, queueSize: 1 };
    const Body = randomBytes(5 * MIB + 1000);
    await new Upload({ ...parts, params: { Bucket: name, Key: 'parts', Body } }).done();
    await setSource(bucket.id, settingsFor(name));
    const list = () => s3.send(new ListObjectsV2Command({ Bucket: bucket.id }));
    expect((await list()).KeyCount).toBe(0);
    expect((await cdn(bucket.id, 'b')).status).toBe(200);
    expect((await cdn(bucket.id, 'parts')).status).toBe(200);
    expect((await list()).Contents?.map(({ Key }) => Key)).toEqual(['b', 'parts']);

    const headers = { ...user.authorization, 'content-type': 'application/json' };
    const imports = `${here.url}/files/s3-imports/${bucket.id}`;
    const body = JSON.stringify(settingsFor(name));
    const started = await fetch(imports, { method: 'POST', headers, body });
    const { id } = (await started.json()) as S3ImportWire;
    await here.services.imports.settle();
    const done = (await (await fetch(`${imports}/${id}`, { headers })).json()) as S3ImportWire;
    expect(done).toMatchObject({ status: 'completed', copied: 2, skipped: 2, failed: 0 });
  });

  test('is fetched once for all who read it at the same time', async () => {
    const { bucket, serve, asked } = await withFake();
    const held: (() => void)[] = [];
    serve('slow', (response) => held.push(() => response.writeHead(200).end('bytes')));
    const byCdn = Array.from({ length: 10 }, async () => (await cdn(bucket.id, 'slow')).text());
    await until(async () => held.length === 1);
    const byS3 = Array.from({ length: 10 }, async () => (await get(bucket.id, 'slow')).text);
    const late = cdn(bucket.id, 'slow');
    for (const release of held) release();
    expect(new Set(await Promise.all([...byCdn, ...byS3]))).toEqual(new Set(['bytes']));
    expect((await late).status).toBe(200);
    expect((await rowsOf(bucket.id)).length).toBe(1);
    expect(asked('slow')).toBe(1);
  });

  test('becomes one file where two processes fetch it at the same time', async () => {
    const { bucket, serve } = await withFake();
    const held: (() => void)[] = [];
    serve('twice', (response) => held.push(() => response.writeHead(200).end('bytes')));
    const { services, config } = here;
    const other = otherProcess();
    const row = await rowOf(bucket.id);
    const both = [services.sourceFetches, other].map((fetches) =>
      fetches.fetchMissing(row, 'twice', READER),
    );
    await until(async () => held.length === 2);
    for (const release of held) release();
    expect(await Promise.all(both)).toEqual([true, true]);
    expect(await rowsOf(bucket.id)).toHaveLength(1);
    expect(await (await cdn(bucket.id, 'twice')).text()).toBe('bytes');
    expect(await findingsOf(config)).toEqual([]);
  });

  test('is fetched to the end although its reader has left', async () => {
    const { bucket, serve, asked } = await withFake();
    let release = () => {};
    serve('left', (response) => {
      release = () => response.writeHead(200).end('bytes');
    });
    const left = new AbortController();
    const reading = cdn(bucket.id, 'left', { signal: left.signal });
    await until(async () => asked('left') === 1);
    left.abort();
    await reading.catch(() => {});
    release();
    await until(async () => (await rowsOf(bucket.id)).length === 1);
    expect(asked('left')).toBe(1);
  });

  test('does not replace what was put here meanwhile', async () => {
    const { bucket, serve, asked } = await withFake();
    let release = () => {};
    serve('raced', (response) => {
      release = () => response.writeHead(200).end('from the source');
    });
    const reading = cdn(bucket.id, 'raced');
    await until(async () => asked('raced') === 1);
    await s3.send(new PutObjectCommand({ Bucket: bucket.id, Key: 'raced', Body: 'from here' }));
    release();
    await reading;
    expect((await get(bucket.id, 'raced')).text).toBe('from here');
    expect(await rowsOf(bucket.id)).toHaveLength(1);
  });
});

const CHANGES: [string, (id: string, path: string) => Promise<unknown>][] = [
  ['its source is removed', (id) => call('DELETE', id)],
  ['another source is set', async (id) => setSource(id, settingsFor(await newSource()))],
  ['it is deleted', (Bucket, Key) => s3.send(new DeleteObjectCommand({ Bucket, Key }))],
  [
    'its bucket is banned',
    (id) =>
      here.db.updateTable('buckets').set({ banned_at: clock() }).where('id', '=', id).execute(),
  ],
];
test.each(CHANGES)(
  'a fetch ends within its object when %s, and stores nothing',
  async (way, change) => {
    const { bucket, serveSlowly } = await withFake();
    const path = way.replaceAll(' ', '-');
    const requests = serveSlowly(path);
    const fetching = otherProcess(20).fetchMissing(await rowOf(bucket.id), path, READER);
    await until(async () => requests.length === 1);
    await change(bucket.id, path);
    expect(await fetching).toBe(false);
    await requests[0];
    expect(await rowsOf(bucket.id)).toEqual([]);
    expect(await findingsOf(here.config)).toEqual([]);
  },
  600_000,
);

describe('what was deleted here', () => {
  test('stays deleted, whether it is kept, was moved, or never was here', async () => {
    const [bucket, name] = [await createBucket(here, user.token), await newSource()];
    const keys = ['gone', 'trashed', 'moved', 'unread', 'many', 'own'];
    for (const key of keys) await putThere(name, key, key);
    await setSource(bucket.id, settingsFor(name));
    const Bucket = bucket.id;
    const remove = (Key: string) => s3.send(new DeleteObjectCommand({ Bucket, Key }));
    const headers = { ...user.authorization, 'content-type': 'application/json' };

    await get(Bucket, 'gone');
    await remove('gone');
    await remove('unread');
    await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'many' }] } }));
    await s3.send(new PutObjectCommand({ Bucket, Key: 'own', Body: 'own' }));
    await remove('own');
    await get(Bucket, 'moved');
    const [file] = await rowsOf(Bucket);
    const moved = await fetch(`${here.url}/files/${Bucket}/${file?.id}`, {
      ...{ method: 'PATCH', headers, body: JSON.stringify({ path: 'elsewhere' }) },
    });
    expect(moved.status).toBe(200);
    await fetch(`${here.url}/buckets/retention/${Bucket}`, {
      ...{ method: 'PUT', headers, body: JSON.stringify({ keep_deleted_days: 7 }) },
    });
    await get(Bucket, 'trashed');
    await remove('trashed');

    // Another access key does not bring it back either.
    await call('DELETE', Bucket);
    await setSource(Bucket, settingsFor(name));
    for (const key of keys) {
      expect([key, await refusalOf(get(Bucket, key))]).toEqual([key, MISSING]);
      expect([key, (await cdn(Bucket, key)).status]).toEqual([key, 404]);
    }
    expect((await get(Bucket, 'elsewhere')).text).toBe('moved');
  });

  test('stays behind its delete marker, also one from before the source was set', async () => {
    const [bucket, name] = [await createBucket(here, user.token), await newSource()];
    await putThere(name, 'a', 'a');
    const Bucket = bucket.id;
    const VersioningConfiguration = { Status: 'Enabled' as const };
    await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
    await fetch(`${here.url}/buckets/retention/${Bucket}`, {
      method: 'PUT',
      headers: { ...user.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ keep_deleted_days: 7 }),
    });
    await s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'mine' }));
    const { VersionId } = await s3.send(new DeleteObjectCommand({ Bucket, Key: 'a' }));
    await setSource(Bucket, settingsFor(name));
    expect(await refusalOf(get(Bucket, 'a'))).toEqual(MISSING);
    // Without the marker the version that was here is back, and not that of the source.
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'a', VersionId }));
    expect((await get(Bucket, 'a')).text).toBe('mine');
  });

  test('stays deleted where it was being fetched, and nothing of it stays stored', async () => {
    const { bucket, serve, asked } = await withFake();
    let release = () => {};
    serve('raced', (response) => {
      release = () => response.writeHead(200).end('bytes');
    });
    const reading = cdn(bucket.id, 'raced');
    await until(async () => asked('raced') === 1);
    await s3.send(new DeleteObjectCommand({ Bucket: bucket.id, Key: 'raced' }));
    release();
    expect((await reading).status).toBe(404);
    expect(await rowsOf(bucket.id)).toEqual([]);
    expect((await here.services.buckets.byId(bucket.id))?.usage).toBe(0);
    expect(await findingsOf(here.config)).toEqual([]);
  });

  test('stays deleted once it is purged, also from before the source was set', async () => {
    const [bucket, name] = [await createBucket(here, user.token), await newSource()];
    const keys = ['old', 'again', 'emptied', 'due'];
    for (const key of keys) await putThere(name, key, 'theirs');
    const Bucket = bucket.id;
    await keepDeleted(Bucket);
    for (const Key of keys) {
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'mine' }));
      await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    }
    await s3.send(new PutObjectCommand({ Bucket, Key: 'again', Body: 'mine again' }));
    await setSource(Bucket, settingsFor(name));
    const trash = await here.services.files.trash.list(Bucket, {});
    const idsOf = (...paths: string[]) =>
      trash.data.filter(({ path }) => paths.includes(path)).map(({ id }) => id);
    for (const id of idsOf('old', 'again')) {
      await here.services.files.trash.deleteForGood(await rowOf(Bucket), id, 'system');
    }
    const past = { purge_at: clock() - 1 };
    await here.db.updateTable('files').set(past).where('id', 'in', idsOf('due')).execute();
    await here.services.files.trash.empty(await rowOf(Bucket), 'system');
    // Nobody can restore them any more, and their rows are still there.
    for (const Key of ['emptied', 'due']) {
      expect([Key, await refusalOf(get(Bucket, Key))]).toEqual([Key, MISSING]);
    }
    await here.services.files.trash.purgeDue(new AbortController().signal);
    expect((await here.services.files.trash.list(Bucket, {})).data).toEqual([]);
    for (const Key of ['old', 'emptied', 'due']) {
      expect([Key, await refusalOf(get(Bucket, Key))]).toEqual([Key, MISSING]);
    }
    // A file that is there leaves nothing to remember.
    expect((await get(Bucket, 'again')).text).toBe('mine again');
    expect((await sourceOf(Bucket))?.excluded).toBe(3);
  });

  test('is fetched again once its owner wants it to be, and for nobody else', async () => {
    const [bucket, name] = [await createBucket(here, user.token), await newSource()];
    const Bucket = bucket.id;
    for (const key of ['a', 'b', 'trashed']) await putThere(name, key, key);
    await setSource(Bucket, settingsFor(name));
    const remove = (Key: string) => s3.send(new DeleteObjectCommand({ Bucket, Key }));
    await remove('a');
    await get(Bucket, 'b');
    await remove('b');
    await keepDeleted(Bucket);
    await get(Bucket, 'trashed');
    await remove('trashed');
    await here.db
      .updateTable('bucket_sources')
      .set({ excluded: 100_000 })
      .where('bucket_id', '=', Bucket)
      .execute();
    expect((await cdn(Bucket, 'a')).status).toBe(404);
    const stranger = await signUp(here);
    const clear = (headers: object) =>
      fetch(`${here.url}/buckets/source/${Bucket}/exclusions`, {
        ...{ method: 'DELETE', headers: { ...headers } },
      });
    expect((await clear({})).status).toBe(401);
    expect((await clear(stranger.authorization)).status).toBe(404);
    expect((await sourceOf(Bucket))?.excluded).toBe(100_000);
    expect((await clear(user.authorization)).status).toBe(204);
    expect(await sourceOf(Bucket)).toMatchObject({ excluded: 0, error: null });
    for (const key of ['a', 'b']) expect((await get(Bucket, key)).text).toBe(key);
    // It can still be restored.
    expect(await refusalOf(get(Bucket, 'trashed'))).toEqual(MISSING);
  });

  test('ends all fetches once there is too much of it to remember', async () => {
    const [bucket, name] = [await createBucket(here, user.token), await newSource()];
    await putThere(name, 'a', 'a');
    await setSource(bucket.id, settingsFor(name));
    await here.db
      .updateTable('bucket_sources')
      .set({ excluded: 100_000 })
      .where('bucket_id', '=', bucket.id)
      .execute();
    expect((await cdn(bucket.id, 'a')).status).toBe(404);
    expect((await sourceOf(bucket.id))?.error).toContain('Too many files were deleted');
    await s3.send(new DeleteObjectCommand({ Bucket: bucket.id, Key: 'b' }));
    const excluded = await here.db
      .selectFrom('source_exclusions')
      .select('path')
      .where('bucket_id', '=', bucket.id)
      .execute();
    expect(excluded).toEqual([]);
  });
});

describe('the source is asked', () => {
  test('for nothing by who may not open the file', async () => {
    const { bucket, serve, asked } = await withFake({ access: 'private' });
    serve('secret', 'bytes');
    const stranger = await signUp(here);
    const theirs = s3Client(here, await createS3Key(stranger));
    const theirBucket = await createBucket(here, stranger.token);
    const foreign = await createToken(here, theirBucket, { scope: 'read' });
    const Key = 'secret';
    expect((await cdn(bucket.id, Key)).status).toBe(404);
    expect((await cdn(bucket.id, `${Key}?jwt=${foreign}`)).status).toBe(404);
    expect((await cdn(bucket.id, `${Key}?jwt=wrong`)).status).toBe(404);
    const asStranger = theirs.send(new GetObjectCommand({ Bucket: bucket.id, Key }));
    expect(await refusalOf(asStranger)).toEqual(['NoSuchBucket', 404]);
    expect((await fetch(`${here.config.s3?.url}/${bucket.id}/${Key}`)).status).toBe(403);
    expect(asked()).toBe(0);
    // Their own bucket has no source.
    expect((await cdn(theirBucket.id, Key)).status).toBe(404);
    const own = await createToken(here, bucket, { scope: 'read' });
    expect(await (await cdn(bucket.id, `${Key}?jwt=${own}`)).text()).toBe('bytes');
    expect((await cdn(bucket.id, Key)).status).toBe(404);
    expect((await get(bucket.id, Key)).text).toBe('bytes');
    expect(asked()).toBe(1);
  });

  test('for nothing by strangers where public files are private nevertheless', async () => {
    const { bucket, serve, asked } = await withFake();
    serve('a', 'bytes');
    const PublicAccessBlockConfiguration = { IgnorePublicAcls: true };
    const Bucket = bucket.id;
    await s3.send(new PutPublicAccessBlockCommand({ Bucket, PublicAccessBlockConfiguration }));
    expect((await cdn(Bucket, 'a')).status).toBe(404);
    expect((await fetch(`${here.config.s3?.url}/${Bucket}/a`)).status).toBe(403);
    expect(asked()).toBe(0);
    expect((await get(Bucket, 'a')).text).toBe('bytes');
  });

  test('for nothing by clients whom the rules of the bucket keep out', async () => {
    const { bucket, serve, asked } = await withFake();
    serve('a', 'bytes');
    const rules = await fetch(`${here.url}/buckets/delivery-rules/${bucket.id}`, {
      method: 'PUT',
      headers: { ...user.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ allowed_referrers: ['example.com'] }),
    });
    expect(rules.status).toBe(200);
    const from = (referer: string) => cdn(bucket.id, 'a', { headers: { referer } });
    expect((await from('https://elsewhere.example/')).status).toBe(403);
    expect(asked()).toBe(0);
    expect((await from('https://example.com/')).status).toBe(200);
  });

  test('for each file, although each may be opened only so often', async () => {
    const keys = ['a', 'b', 'c'];
    const buckets = [await withFake(), await withFake()];
    for (const { bucket, serve } of buckets) {
      for (const key of keys) serve(key, 'bytes');
      const rules = await fetch(`${here.url}/buckets/delivery-rules/${bucket.id}`, {
        method: 'PUT',
        headers: { ...user.authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ requests_per_file: 1 }),
      });
      expect(rules.status).toBe(200);
    }
    for (const { bucket } of buckets) {
      for (const key of keys) expect([key, (await cdn(bucket.id, key)).status]).toEqual([key, 200]);
      expect((await cdn(bucket.id, 'a')).status).toBe(429);
    }
  });

  test('by people without a key for what will be public', async () => {
    const { bucket, serve } = await withFake();
    serve('a', 'bytes');
    const response = await fetch(`${here.config.s3?.url}/${bucket.id}/a`);
    expect([response.status, await response.text()]).toEqual([200, 'bytes']);
  });

  test('once for what it does not have, until half a minute has passed', async () => {
    const { bucket, serve, asked } = await withFake();
    for (let n = 0; n < 3; n += 1) expect((await cdn(bucket.id, 'later')).status).toBe(404);
    expect(await refusalOf(get(bucket.id, 'later'))).toEqual(MISSING);
    expect(asked('later')).toBe(1);
    expect((await sourceOf(bucket.id))?.error).toBe(null);
    serve('later', 'bytes');
    passed += 31 * SECOND;
    expect((await cdn(bucket.id, 'later')).status).toBe(200);
  });

  test('for four files of an account at a time, and the others wait', async () => {
    const { bucket, serve, asked } = await withFake();
    const held: (() => void)[] = [];
    const keys = Array.from({ length: 10 }, (_, n) => `${n}`);
    for (const key of keys) {
      serve(key, (response) => held.push(() => response.writeHead(200).end(key)));
    }
    const reading = keys.map(async (key) => (await cdn(bucket.id, key)).text());
    await until(async () => held.length === 4);
    expect(asked()).toBe(4);
    let released = 0;
    await until(async () => {
      for (; released < held.length; released += 1) held[released]?.();
      return released === keys.length;
    });
    expect(await Promise.all(reading)).toEqual(keys);
  });

  test('with a key that is still set, also by those who have waited', async () => {
    const { bucket, serve, asked } = await withFake();
    const held: (() => void)[] = [];
    const keys = Array.from({ length: 6 }, (_, n) => `${n}`);
    for (const key of keys) {
      serve(key, (response) => held.push(() => response.writeHead(200).end(key)));
    }
    const reading = keys.map(async (key) => (await cdn(bucket.id, key)).status);
    await until(async () => held.length === 4);
    await call('DELETE', bucket.id);
    for (const release of held) release();
    expect(await Promise.all(reading)).toEqual(keys.map(() => 404));
    expect(asked()).toBe(4);
    expect(await rowsOf(bucket.id)).toEqual([]);
  });

  test('for a bounded number of made-up names by each reader, and for the files of others', async () => {
    const { bucket, serve, asked } = await withFake();
    serve('real', 'bytes');
    const from = (address: string, path: string) =>
      here.services.delivery.open(`${here.url}/cdn/${bucket.id}/~/${path}`, new Request(here.url), {
        check: () => {},
        address: () => address,
      });
    const statusOf = async (address: string, path: string) => {
      try {
        await from(address, path);
        return 200;
      } catch (error) {
        return (error as { status?: number }).status;
      }
    };
    const names = Array.from({ length: MAX_MISSES_PER_READER }, (_, n) => `made-up/${n}`);
    await inNoTime(async () => {
      // Four at a time, as more would wait.
      for (let n = 0; n < names.length; n += 4) {
        const some = names.slice(n, n + 4);
        const statuses = await Promise.all(some.map((name) => statusOf('192.0.2.1', name)));
        expect(new Set(statuses)).toEqual(new Set([404]));
      }
      const times = asked();
      expect(times).toBe(MAX_MISSES_PER_READER);
      expect(await statusOf('192.0.2.1', 'made-up/more')).toBe(429);
      // What is known costs nothing.
      expect(await statusOf('192.0.2.1', 'made-up/0')).toBe(404);
      expect(asked()).toBe(times);
      expect(await statusOf('192.0.2.2', 'made-up/other')).toBe(404);
      expect((await get(bucket.id, 'real')).text).toBe('bytes');
      expect(asked()).toBe(times + 2);
    });
    passed += 61 * SECOND;
    expect(await statusOf('192.0.2.1', 'made-up/more')).toBe(404);
  });

  test('by a program with a key that writes as often as it uploads, and not by one that only reads', async () => {
    const { bucket } = await withFake();
    const Bucket = bucket.id;
    const reader = s3Client(here, await createS3Key(user, { access: 'read' }));
    const ask = (client: typeof s3, Key: string) =>
      refusalOf(client.send(new HeadObjectCommand({ Bucket, Key })));
    await inNoTime(async () => {
      for (const [client, last] of [
        [s3, 404],
        [reader, 503],
      ] as const) {
        // Four at a time, as more would wait.
        for (let n = 0; n < MAX_MISSES_PER_READER; n += 4) {
          const keys = [0, 1, 2, 3].map((more) => `${last}/${n + more}`);
          const statuses = await Promise.all(keys.map(async (key) => (await ask(client, key))[1]));
          expect(new Set(statuses)).toEqual(new Set([404]));
        }
        expect((await ask(client, `${last}/more`))[1]).toBe(last);
      }
    });
  });

  test('by a request that counts once for its client', async () => {
    const { bucket, serve } = await withFake();
    for (const key of ['a', 'b', 'c']) serve(key, 'bytes');
    const rules = await fetch(`${here.url}/buckets/delivery-rules/${bucket.id}`, {
      method: 'PUT',
      headers: { ...user.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ requests_per_client: 3 }),
    });
    expect(rules.status).toBe(200);
    expect((await cdn(bucket.id, 'a')).status).toBe(200);
    expect((await fetch(`${here.config.s3?.url}/${bucket.id}/b`)).status).toBe(200);
    expect((await cdn(bucket.id, 'c')).status).toBe(200);
    expect((await cdn(bucket.id, 'c')).status).toBe(429);
  });

  test('for no more once many more wait', async () => {
    const { bucket, serve, asked } = await withFake();
    const held: (() => void)[] = [];
    const keys = Array.from({ length: 4 + 64 + 1 }, (_, n) => `${n}`);
    for (const key of keys) {
      serve(key, (response) => held.push(() => response.writeHead(200).end(key)));
    }
    const statuses: number[] = [];
    const reading = keys.map(async (key) => {
      const response = await cdn(bucket.id, key);
      statuses.push(response.status);
      return response.headers.get('retry-after');
    });
    await until(async () => held.length === 4 && statuses.length === 1);
    expect(statuses).toEqual([503]);
    expect(asked()).toBe(4);
    let released = 0;
    await until(async () => {
      for (; released < held.length; released += 1) held[released]?.();
      return released === keys.length - 1;
    });
    expect((await Promise.all(reading)).filter((retryAfter) => retryAfter !== null)).toEqual(['5']);
  });
});

describe('a source that can’t give a file', () => {
  test('is unavailable with the time after which to try again, and its owner learns why', async () => {
    const { bucket, serve, asked } = await withFake();
    let isAway = true;
    serve('a', (response) =>
      isAway ? response.writeHead(500).end() : response.writeHead(200).end('bytes'),
    );
    await inNoTime(async () => {
      const response = await cdn(bucket.id, 'a');
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
      const times = asked();
      expect(await refusalOf(get(bucket.id, 'a'))).toEqual(['ServiceUnavailable', 503]);
      const unsigned = await fetch(`${here.config.s3?.url}/${bucket.id}/b`);
      expect([unsigned.status, unsigned.headers.get('retry-after')]).toEqual([503, '5']);
      // It is left alone for some seconds, whatever is read.
      expect(asked()).toBe(times);
    });
    expect((await sourceOf(bucket.id))?.error).toBe('The S3 server responded with 500.');
    isAway = false;
    passed += 6 * SECOND;
    expect(await (await cdn(bucket.id, 'a')).text()).toBe('bytes');
    expect((await sourceOf(bucket.id))?.error).toBe(null);
  });

  test('is unavailable for the objects that its key may not read, and gives the others', async () => {
    const { bucket, serve, asked } = await withFake();
    serve('locked', (response) => response.writeHead(403).end());
    serve('open', 'bytes');
    for (let n = 0; n < 3; n += 1) expect((await cdn(bucket.id, 'locked')).status).toBe(503);
    expect(asked('locked')).toBe(1);
    expect((await sourceOf(bucket.id))?.error).toContain('refused the access key');
    expect((await cdn(bucket.id, 'open')).status).toBe(200);
  });

  test('stores nothing of what is cut off or has another checksum', async () => {
    const { bucket, serve } = await withFake();
    serve('cut', (response) => {
      response.writeHead(200, { 'content-length': 100 }).write('bytes');
      setImmediate(() => response.destroy());
    });
    serve('other', (response) =>
      response.writeHead(200, { etag: `"${'0'.repeat(32)}"` }).end('bytes'),
    );
    expect((await cdn(bucket.id, 'cut')).status).toBe(503);
    passed += 6 * SECOND;
    expect((await cdn(bucket.id, 'other')).status).toBe(503);
    expect(await rowsOf(bucket.id)).toEqual([]);
    expect(await findingsOf(here.config)).toEqual([]);
  });

  test('leads to no address that is not allowed', async () => {
    const { bucket } = await withFake();
    const link = await call(
      'PUT',
      bucket.id,
      settingsFor('a', { endpoint: 'http://169.254.169.254' }),
    );
    expect([link.status, await link.text()]).toEqual([422, expect.stringContaining('not public')]);
    // The name may lead somewhere else by now.
    await here.db
      .updateTable('bucket_sources')
      .set({ endpoint: 'http://169.254.169.254' })
      .where('bucket_id', '=', bucket.id)
      .execute();
    expect((await cdn(bucket.id, 'latest/meta-data')).status).toBe(503);
    expect((await sourceOf(bucket.id))?.error).toContain('not public');

    const own = await createBucket(there, theirUser.token);
    const inside = await fetch(`${there.url}/buckets/source/${own.id}`, {
      method: 'PUT',
      headers: { ...theirUser.authorization, 'content-type': 'application/json' },
      body: JSON.stringify(settingsFor('a', { endpoint: fake.url })),
    });
    expect([inside.status, await inside.text()]).toEqual([
      422,
      expect.stringContaining('not public'),
    ]);
  });
});

describe('the limits of uploads hold', () => {
  test('of the bucket: what it does not accept is not there', async () => {
    const { bucket, serve, asked } = await withFake();
    serve('large.txt', 'x'.repeat(2000));
    serve('unknown.txt', (response) => response.writeHead(200).end('x'.repeat(2000)));
    serve('page.html', '<h1>Harbour</h1>');
    serve('ok.txt', 'text');
    await setRules(bucket.id, { allowed_types: ['text/plain'], max_file_bytes: 1024 });
    for (const key of ['large.txt', 'unknown.txt', 'page.html']) {
      expect([key, (await cdn(bucket.id, key)).status]).toEqual([key, 404]);
      expect([key, (await cdn(bucket.id, key)).status]).toEqual([key, 404]);
      expect(asked(key)).toBe(1);
    }
    expect((await cdn(bucket.id, 'ok.txt')).status).toBe(200);
    expect(await findingsOf(here.config)).toEqual([]);
  });

  test('of what it may store: nothing more comes, and its owner learns why', async () => {
    const { bucket, serve } = await withFake();
    for (const key of ['a', 'b']) serve(key, 'x'.repeat(600));
    await setRules(bucket.id, { storage_limit: 1024 });
    expect((await cdn(bucket.id, 'a')).status).toBe(200);
    expect((await cdn(bucket.id, 'b')).status).toBe(503);
    expect((await sourceOf(bucket.id))?.error).toMatch(/storage limit/);
    expect((await cdn(bucket.id, 'a')).status).toBe(200);
    expect(await rowsOf(bucket.id)).toHaveLength(1);
  });

  test('of its state: a suspended bucket fetches nothing', async () => {
    const { bucket, serve, asked } = await withFake();
    serve('a', 'bytes');
    const row = await rowOf(bucket.id);
    const suspended = { ...row, status: 'suspended' as const };
    const fetching = here.services.fetchMissing(suspended, 'a', READER);
    await expect(fetching).rejects.toMatchObject({ status: 503 });
    expect(asked()).toBe(0);
  });
});

describe('the setting', () => {
  test('keeps its secret sealed, tells nobody, and is gone with the source and with the bucket', async () => {
    const [bucket, name] = [await createBucket(here, user.token), await newSource()];
    const row = () =>
      here.db
        .selectFrom('bucket_sources')
        .selectAll()
        .where('bucket_id', '=', bucket.id)
        .executeTakeFirst();
    const secret = theirKey.secret_access_key;
    expect(await sourceOf(bucket.id)).toBe(null);
    const set = await setSource(bucket.id, settingsFor(name));
    expect(set.access_key_id).toBe(theirKey.access_key_id);
    expect(JSON.stringify([set, await sourceOf(bucket.id), await row()])).not.toContain(secret);
    expect((await call('DELETE', bucket.id)).status).toBe(204);
    expect((await call('DELETE', bucket.id)).status).toBe(204);
    expect([await row(), await sourceOf(bucket.id)]).toEqual([undefined, null]);
    await putThere(name, 'a', 'a');
    expect((await cdn(bucket.id, 'a')).status).toBe(404);

    await setSource(bucket.id, settingsFor(name));
    await s3.send(new DeleteObjectCommand({ Bucket: bucket.id, Key: 'never' }));
    await here.services.database.transaction((tx) =>
      here.services.buckets.deletion.start(tx, bucket.id, { userId: user.userId }),
    );
    expect(await row()).toBeUndefined();
    await here.services.buckets.deletion.announce({ bucketId: bucket.id });
    await until(async () => !(await here.services.buckets.byId(bucket.id)));
    const left = await here.db.selectFrom('source_exclusions').selectAll().execute();
    expect(left.filter(({ bucket_id }) => bucket_id === bucket.id)).toEqual([]);

    const audit = await here.db
      .selectFrom('audit_log')
      .selectAll()
      .where('subject_id', '=', bucket.id)
      .execute();
    const actions = audit.map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['bucket.source-set', 'bucket.source-removed']));
    const entry = audit.find(({ action }) => action === 'bucket.source-set');
    expect(JSON.stringify(entry)).toContain(there.config.s3?.url ?? '');
    expect(JSON.stringify(audit)).not.toContain(secret);
  });

  test('is its owner’s alone', async () => {
    const [bucket, name] = [await createBucket(here, user.token), await newSource()];
    const stranger = await signUp(here);
    for (const [headers, status] of [
      [stranger.authorization, 404],
      [{ 'x-api-key': bucket.api_key }, 401],
    ] as const) {
      expect((await call('PUT', bucket.id, settingsFor(name), headers)).status).toBe(status);
      expect((await call('GET', bucket.id, undefined, headers)).status).toBe(status);
      expect((await call('DELETE', bucket.id, undefined, headers)).status).toBe(status);
    }
    expect(await sourceOf(bucket.id)).toBe(null);
  });

  test('is refused where the other server can’t be read, and the one before stays', async () => {
    const [bucket, name] = [await createBucket(here, user.token), await newSource()];
    await setSource(bucket.id, settingsFor(name));
    for (const [more, text] of [
      [{ secret_access_key: 'wrong' }, 'The S3 server refused'],
      [{ bucket: 'not-there' }, 'The S3 server'],
      [{ endpoint: 'http://127.0.0.1:1' }, 'The connection was refused'],
      [{ endpoint: 'ftp://example.com' }, 'endpoint must be'],
      [{ folder: '../up' }, 'folder must be'],
    ] as const) {
      const response = await call('PUT', bucket.id, settingsFor(name, more));
      expect([response.status, await response.text()]).toEqual([
        422,
        expect.stringContaining(text),
      ]);
    }
    expect((await sourceOf(bucket.id))?.bucket).toBe(name);
  });

  test('asks for a new object at once where another source is set', async () => {
    const [bucket, name] = [await createBucket(here, user.token), await newSource()];
    await setSource(bucket.id, settingsFor(name));
    expect((await cdn(bucket.id, 'a')).status).toBe(404);
    const next = await newSource();
    await putThere(next, 'a', 'a');
    await setSource(bucket.id, settingsFor(next));
    expect((await cdn(bucket.id, 'a')).status).toBe(200);
  });
});

test('the files that were fetched are listed as others are', async () => {
  const { bucket, serve } = await withFake();
  serve('photos/a.txt', 'text');
  expect((await cdn(bucket.id, 'photos/a.txt')).status).toBe(200);
  const response = await fetch(`${here.url}/files/${bucket.id}?limit=50`, {
    headers: user.authorization,
  });
  const { data } = (await response.json()) as FilePageWire;
  expect(data).toMatchObject([{ path: 'photos/a.txt', access: 'public', size: 4 }]);
});
