import { beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { hasCeph } from '../../../scripts/setup/test-programs.mjs';
import { HOUR, MIB, MINUTE } from '../../../server/contract/limits.ts';
import type { FilePageWire, S3ImportWire } from '../../../server/contract/wire.ts';
import { openRemoteBucket } from '../../../server/platform/storage/s3/remote-bucket.ts';
import { createBucket, createToken, signUp } from '../../support/client/api.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedServerInProcess } from '../../support/server/in-process-server.ts';
import { startFileSource } from '../../support/services/file-source.ts';
import { KEYS, startRgw } from '../../support/services/rgw.ts';

let passed = 0;
const clock = () => Date.now() + passed;
const server = await sharedServerInProcess({ WEBHOOK_ALLOW_PRIVATE: 'yes' }, { clock });
const { imports } = server.services;
const user = await signUp(server);

let client: S3Client;
let endpoint: string;
let newBucket: () => Promise<string>;
beforeAll(async () => {
  const rgw = await startRgw();
  if (!rgw) return;
  endpoint = rgw.url;
  newBucket = async () => (await rgw.bucket()).settings.bucket;
  client = new S3Client({
    endpoint,
    region: 'us-east-1',
    credentials: KEYS,
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
}, 600_000);

type Bucket = Awaited<ReturnType<typeof createBucket>>;
const put = (Bucket: string, Key: string, Body: string | Uint8Array, more = {}) =>
  client.send(new PutObjectCommand({ Bucket, Key, Body: Buffer.from(Body), ...more }));
const settingsFor = (bucket: string, more = {}) => ({
  ...{ endpoint, access_key_id: KEYS.accessKeyId, secret_access_key: KEYS.secretAccessKey },
  ...{ bucket, ...more },
});
const call = (
  method: string,
  path: string,
  { headers = user.authorization, body }: { headers?: Record<string, string>; body?: unknown } = {},
) =>
  fetch(`${server.url}/files/s3-imports/${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const start = (id: string, body: unknown, headers?: Record<string, string>) =>
  call('POST', id, { body, ...(headers && { headers }) });
const get = async (id: string, importId: string) =>
  (await (await call('GET', `${id}/${importId}`)).json()) as S3ImportWire;

/** Starts an import and returns it once this process is not at it any more. */
async function imported(id: string, body: unknown): Promise<S3ImportWire> {
  const response = await start(id, body);
  const text = await response.text();
  expect([response.status, text]).toEqual([202, expect.any(String)]);
  await imports.settle();
  return get(id, JSON.parse(text).id);
}
async function filesOf({ id }: Pick<Bucket, 'id'>) {
  const response = await fetch(`${server.url}/files/${id}?limit=50`, {
    headers: user.authorization,
  });
  const { data } = (await response.json()) as FilePageWire;
  return new Map(data.map((file) => [file.path, file]));
}
const bytesOf = async (url: string | null | undefined) =>
  Buffer.from(await (await fetch(url ?? '')).arrayBuffer());
const rowOf = (id: string) =>
  server.db.selectFrom('s3_imports').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

const ODD_KEYS = [
  ...['a b.txt', '.hidden', 'größe/ü.txt', 'plus+sign', 'per%41cent', "it's", 'a&b=c?d#e', '[x]'],
  ...['日本/写真.txt', '😀', 'a/b/c/d/e', 'a//b', '/top', 'dots..txt', 'a,b:c@d$e!f*g(h)'],
];

async function putMultipart(Bucket: string, Key: string, parts: Buffer[]) {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const Parts = [];
  for (const [index, Body] of parts.entries()) {
    const PartNumber = index + 1;
    const part = new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body });
    Parts.push({ PartNumber, ETag: (await client.send(part)).ETag });
  }
  const complete = { Bucket, Key, UploadId, MultipartUpload: { Parts } };
  await client.send(new CompleteMultipartUploadCommand(complete));
}

describe.skipIf(!hasCeph())('a bucket of another S3 server', () => {
  test('is copied with its names, types and metadata, and not copied again', async () => {
    const [bucket, source] = [await createBucket(server, user.token), await newBucket()];
    for (const key of ODD_KEYS) await put(source, key, key);
    await put(source, 'empty', '');
    await put(source, 'folder/', '');
    const parts = [randomBytes(5 * MIB), randomBytes(1000)];
    await putMultipart(source, 'large.bin', parts);
    await put(source, 'page.html', '<h1>Harbour</h1>', {
      ...{ ContentType: 'text/html; charset=utf-8', CacheControl: 'max-age=60' },
      ...{ Metadata: { owner: 'Ana', mtime: '1700000000.5' }, ContentLanguage: 'de' },
    });
    const total = ODD_KEYS.length + 3;

    const done = await imported(bucket.id, settingsFor(source, { access: 'public' }));
    expect(done).toMatchObject({
      ...{ status: 'completed', copied: total, skipped: 1, failed: 0, failures: [], error: null },
      ...{ endpoint, bucket: source, prefix: '', folder: '', access: 'public' },
      bytes: ODD_KEYS.reduce((sum, key) => sum + Buffer.byteLength(key), 5 * MIB + 1000 + 16),
    });
    const files = await filesOf(bucket);
    expect([...files.keys()].sort()).toEqual(
      [...ODD_KEYS, 'empty', 'large.bin', 'page.html'].sort(),
    );
    for (const key of ODD_KEYS) {
      expect([key, String(await bytesOf(files.get(key)?.url))]).toEqual([key, key]);
    }
    expect((await bytesOf(files.get('large.bin')?.url)).equals(Buffer.concat(parts))).toBe(true);
    expect(files.get('page.html')).toMatchObject({
      ...{ content_type: 'text/html; charset=utf-8', access: 'public', file_type: 'file' },
      metadata: { owner: 'Ana', mtime: '1700000000.5' },
    });
    const row = await server.db
      .selectFrom('files')
      .select('headers')
      .where('id', '=', files.get('page.html')?.id ?? '')
      .executeTakeFirstOrThrow();
    expect(JSON.parse(row.headers ?? '')).toEqual({
      ...{ 'cache-control': 'max-age=60', 'content-language': 'de' },
    });

    await put(source, 'empty', 'no longer');
    await put(source, 'new.txt', 'new');
    const again = await imported(bucket.id, settingsFor(source, { access: 'public' }));
    expect(again).toMatchObject({ status: 'completed', copied: 2, skipped: total, failed: 0 });
    const now = await filesOf(bucket);
    expect(String(await bytesOf(now.get('empty')?.url))).toBe('no longer');
    for (const key of ODD_KEYS) expect(now.get(key)?.id).toBe(files.get(key)?.id ?? '');
    expect(await findingsOf(server.config)).toEqual([]);
  }, 600_000);

  test('is copied from a folder into a folder, and what is beside it stays', async () => {
    const [bucket, source] = [await createBucket(server, user.token), await newBucket()];
    for (const key of ['2026/a.txt', '2026/b/c.txt', '2026-old.txt', '2025/a.txt']) {
      await put(source, key, key);
    }
    const options = { prefix: '2026', folder: 'archive' };
    const done = await imported(bucket.id, settingsFor(source, options));
    expect(done).toMatchObject({
      prefix: '2026/',
      folder: 'archive/',
      copied: 2,
      access: 'private',
    });
    const files = await filesOf(bucket);
    expect([...files.keys()].sort()).toEqual(['archive/a.txt', 'archive/b/c.txt']);
  });

  test('names what can’t be copied and why, and copies the rest', async () => {
    const [bucket, source] = [await createBucket(server, user.token), await newBucket()];
    await put(source, 'a.png', 'no picture');
    await put(source, 'b.txt', 'text');
    await put(source, 'large.txt', 'x'.repeat(2000));
    await put(source, 'slash/', 'bytes');
    await put(source, 'metadata.txt', 'a', { Metadata: { long: 'x'.repeat(3000) } }).catch(
      () => {},
    );
    const rules = { allowed_types: ['text/plain'], max_file_bytes: 1024, storage_limit: null };
    const saved = await fetch(`${server.url}/buckets/upload-rules/${bucket.id}`, {
      method: 'PUT',
      headers: { ...user.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ ...rules, allowed_types: ['text/css'] }),
    });
    expect(saved.status).toBe(200);
    await put(source, 'ok.css', 'a {}');
    const done = await imported(bucket.id, settingsFor(source));
    expect(done).toMatchObject({ status: 'completed', copied: 1 });
    expect(
      Object.fromEntries(done.failures.map(({ key, error }) => [key, error.code])),
    ).toMatchObject({
      ...{ 'a.png': 'type-refused', 'b.txt': 'type-refused', 'large.txt': 'too-large' },
      'slash/': 'invalid',
    });
    expect(done.failed).toBe(done.failures.length);
    expect([...(await filesOf(bucket)).keys()]).toEqual(['ok.css']);
    expect(await findingsOf(server.config)).toEqual([]);
  });

  test('passes over keys that no file can have, whatever their characters are', async () => {
    const bucket = await createBucket(server, user.token);
    const keys = ['a%00b', 'a%00c', 'b%0Ac', 'dots/../up', 'ok'];
    const page = (after: string) =>
      `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>${keys
        .filter(
          (key) => Buffer.compare(Buffer.from(decodeURIComponent(key)), Buffer.from(after)) > 0,
        )
        .map((key) => `<Contents><Key>${key}</Key><Size>1</Size><ETag>"e"</ETag></Contents>`)
        .join('')}</ListBucketResult>`;
    const source = await startFileSource();
    try {
      source.serve('/odd/', (response, request) => {
        const query = new URL(request.url ?? '', source.url).searchParams;
        response.end(page(query.get('start-after') ?? ''));
      });
      source.serve('/odd/ok', 'x');
      const done = await imported(bucket.id, settingsFor('odd', { endpoint: source.url }));
      expect(done).toMatchObject({ status: 'completed', copied: 1, failed: 4 });
      expect(done.failures.map(({ error }) => error.code)).toEqual(Array(4).fill('invalid'));
      expect(source.requested.filter((path) => path !== '/odd/')).toEqual(['/odd/ok']);
    } finally {
      source.stop();
    }
  });

  test('is left where its server lists the same again and again', async () => {
    const bucket = await createBucket(server, user.token);
    const source = await startFileSource();
    try {
      const entry = '<Contents><Key>a</Key><Size>1</Size><ETag>"e"</ETag></Contents>';
      source.serve(
        '/loop/',
        `<ListBucketResult><IsTruncated>true</IsTruncated>${entry}</ListBucketResult>`,
      );
      source.serve('/loop/a', 'x');
      const done = await imported(bucket.id, settingsFor('loop', { endpoint: source.url }));
      expect(done).toMatchObject({ status: 'failed', error: expect.stringContaining('in order') });
    } finally {
      source.stop();
    }
  });

  test('ends where the bucket takes no files any more', async () => {
    const [bucket, source] = [await createBucket(server, user.token), await newBucket()];
    await put(source, 'a', 'a');
    const done = await imported(bucket.id, settingsFor(source));
    await server.db
      .updateTable('buckets')
      .set({ banned_at: clock() })
      .where('id', '=', bucket.id)
      .execute();
    const revived = { status: 'running', ended_at: null, leased_until: 0 } as const;
    const secret_sealed = await resealed(done.id);
    await server.db
      .updateTable('s3_imports')
      .set({ ...revived, secret_sealed, position: '' })
      .where('id', '=', done.id)
      .execute();
    await imports.runAll(AbortSignal.timeout(60_000));
    await imports.settle();
    expect((await rowOf(done.id)).status).toBe('failed');
  });

  test('ends with a sentence where the bucket is full', async () => {
    const [bucket, source] = [await createBucket(server, user.token), await newBucket()];
    for (const key of ['a', 'b', 'c']) await put(source, key, 'x'.repeat(600));
    await fetch(`${server.url}/buckets/upload-rules/${bucket.id}`, {
      method: 'PUT',
      headers: { ...user.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ allowed_types: [], max_file_bytes: null, storage_limit: 1024 }),
    });
    const done = await imported(bucket.id, settingsFor(source));
    expect(done).toMatchObject({ status: 'failed', error: expect.stringMatching(/storage limit/) });
    expect(await filesOf(bucket)).toHaveProperty('size', 1);
  });

  test('keeps its secret sealed while it runs, tells nobody, and forgets it at the end', async () => {
    const [bucket, source] = [await createBucket(server, user.token), await newBucket()];
    await put(source, 'a', 'a');
    const response = await start(bucket.id, settingsFor(source));
    const text = await response.text();
    const { id } = JSON.parse(text) as S3ImportWire;
    const running = await rowOf(id);
    expect(text).not.toContain(KEYS.secretAccessKey);
    expect(JSON.stringify(running)).not.toContain(KEYS.secretAccessKey);
    await imports.settle();
    expect((await rowOf(id)).secret_sealed).toBe('');
    const list = await (await call('GET', bucket.id)).text();
    expect(JSON.parse(list).data[0]).toMatchObject({ id, status: 'completed' });
    expect(list).not.toContain('secret');
    const audit = await server.db.selectFrom('audit_log').selectAll().execute();
    expect(JSON.stringify(audit)).not.toContain(KEYS.secretAccessKey);
  });

  test('goes on behind the last key that is done, in whichever process', async () => {
    const [bucket, source] = [await createBucket(server, user.token), await newBucket()];
    for (const key of ['a', 'b', 'c']) await put(source, key, key);
    const first = await imported(bucket.id, settingsFor(source));
    await server.db
      .updateTable('s3_imports')
      .set({
        ...{ status: 'running', ended_at: null, position: 'b', leased_until: clock() + HOUR },
        secret_sealed: await resealed(first.id),
      })
      .where('id', '=', first.id)
      .execute();
    // Another process is at it.
    await imports.runAll(AbortSignal.timeout(60_000));
    await imports.settle();
    expect((await get(bucket.id, first.id)).status).toBe('running');
    await imports.resume({ isOnlyProcess: true });
    await imports.settle();
    // Only 'c' is behind 'b', and it is there.
    expect(await get(bucket.id, first.id)).toMatchObject({
      status: 'completed',
      copied: 3,
      skipped: 1,
    });
  });

  test('waits where its server is away, says so, and has failed after hours', async () => {
    const [bucket, source] = [await createBucket(server, user.token), await newBucket()];
    await put(source, 'a', 'a');
    const done = await imported(bucket.id, settingsFor(source));
    const again = async () => {
      await imports.runAll(AbortSignal.timeout(60_000));
      await imports.settle();
      return get(bucket.id, done.id);
    };
    const away = {
      ...({ status: 'running', ended_at: null, leased_until: 0 } as const),
      ...{ endpoint: 'http://127.0.0.1:1', secret_sealed: await resealed(done.id) },
    };
    await server.db.updateTable('s3_imports').set(away).where('id', '=', done.id).execute();
    const waiting = await again();
    expect(waiting).toMatchObject({ status: 'running', error: 'The connection was refused.' });
    passed += 2 * MINUTE;
    expect((await again()).status).toBe('running');
    passed += 7 * HOUR;
    expect(await again()).toMatchObject({
      ...{ status: 'failed', error: 'The connection was refused.' },
    });
    expect((await rowOf(done.id)).secret_sealed).toBe('');
    passed = 0;
  }, 600_000);

  test('is stopped, and what was copied stays', async () => {
    const [bucket, source] = [await createBucket(server, user.token), await newBucket()];
    await put(source, 'a', 'a');
    const response = await start(bucket.id, settingsFor(source));
    const { id } = (await response.json()) as S3ImportWire;
    const stopped = await call('DELETE', `${bucket.id}/${id}`);
    expect(stopped.status).toBe(200);
    await imports.settle();
    const row = await rowOf(id);
    expect([row.ended_at !== null, row.secret_sealed]).toEqual([true, '']);
    expect(['stopped', 'completed']).toContain(row.status);
    expect((await call('DELETE', `${bucket.id}/${'0'.repeat(26)}`)).status).toBe(404);
  });

  test('is imported once at a time, by those who may upload', async () => {
    const [bucket, source] = [await createBucket(server, user.token), await newBucket()];
    const other = await createBucket(server, user.token);
    await put(source, 'a', 'a');
    const stranger = await signUp(server);
    const theirs = await createBucket(server, stranger.token);
    const write = await createToken(server, bucket, { scope: 'write' });
    for (const [headers, status] of [
      [{ authorization: `Bearer ${write}` }, 401],
      [stranger.authorization, 404],
      [{ 'x-api-key': theirs.api_key }, 404],
    ] as const) {
      expect((await start(bucket.id, settingsFor(source), headers)).status).toBe(status);
      expect((await call('GET', bucket.id, { headers })).status).toBe(status);
    }
    const done = await imported(bucket.id, settingsFor(source));
    for (const method of ['GET', 'DELETE']) {
      const headers = stranger.authorization;
      expect((await call(method, `${bucket.id}/${done.id}`, { headers })).status).toBe(404);
      // Their own bucket does not open it either.
      expect((await call(method, `${theirs.id}/${done.id}`, { headers })).status).toBe(404);
    }
    const revived = { status: 'running', ended_at: null, leased_until: clock() + HOUR } as const;
    await server.db.updateTable('s3_imports').set(revived).where('id', '=', done.id).execute();
    expect((await start(other.id, settingsFor(source))).status).toBe(409);
    await call('DELETE', `${bucket.id}/${done.id}`);
    expect(
      (await start(other.id, settingsFor(source), { 'x-api-key': other.api_key })).status,
    ).toBe(202);
    await imports.settle();
  });

  test('is refused with a sentence where it can’t be read', async () => {
    const { id } = await createBucket(server, user.token);
    const source = await newBucket();
    const refusal = async (more: Record<string, unknown>) => {
      const response = await start(id, settingsFor(source, more));
      return [response.status, response.headers.get('x-error-code'), await response.text()];
    };
    const text = (reason: string) => [
      ...[
        422,
        'download-failed',
        expect.stringMatching(new RegExp(`^The bucket could not be read\\. ${reason}`)),
      ],
    ];
    expect(await refusal({ secret_access_key: 'wrong' })).toEqual(text('The S3 server refused'));
    expect(await refusal({ bucket: 'not-there' })).toEqual(text('The S3 server has no such'));
    expect(await refusal({ endpoint: 'http://127.0.0.1:1' })).toEqual(text('The connection was'));
    expect(await refusal({ endpoint: 'http://169.254.169.254' })).toEqual(
      text('The host resolves to an address that is not public'),
    );
    for (const [more, reason] of [
      [{ endpoint: 'ftp://example.com' }, /^endpoint must be/],
      [{ endpoint: 'http://example.com/bucket' }, /^endpoint must be/],
      [{ endpoint: 'http://a:b@example.com' }, /password/],
      [{ bucket: 'a/b' }, /^bucket must be/],
      [{ folder: '../up' }, /^folder must be/],
    ] as const) {
      expect(await refusal(more)).toEqual([422, 'invalid', expect.stringMatching(reason)]);
    }
    expect(
      await server.db.selectFrom('s3_imports').select('id').where('bucket_id', '=', id).execute(),
    ).toEqual([]);
  });

  test('is read only where its address may be reached', async () => {
    const source = await newBucket();
    const { accessKeyId, secretAccessKey } = KEYS;
    const remote = { endpoint, region: 'us-east-1', accessKeyId, secretAccessKey, bucket: source };
    const resolve = async () => ['127.0.0.1'];
    const list = (allowPrivate: boolean) =>
      openRemoteBucket(remote, { allowPrivate, resolve }).list(
        { prefix: '', after: '' },
        { signal: AbortSignal.timeout(60_000) },
      );
    await expect(list(false)).rejects.toThrow(
      'The host resolves to an address that is not public.',
    );
    expect(await list(true)).toEqual({ entries: [], isLast: true });
  });

  test('loses nothing where an object goes away while it is copied', async () => {
    const source = await newBucket();
    await put(source, 'gone', 'a');
    const { accessKeyId, secretAccessKey } = KEYS;
    const remote = openRemoteBucket(
      { endpoint, region: 'us-east-1', accessKeyId, secretAccessKey, bucket: source },
      { allowPrivate: true, resolve: async () => ['127.0.0.1'] },
    );
    const { signal } = new AbortController();
    const { entries } = await remote.list({ prefix: '', after: '' }, { signal });
    const [entry] = entries;
    if (!entry) throw new Error('the object is missing');
    await put(source, 'gone', 'other bytes');
    await expect(remote.open(entry, signal)).rejects.toThrow('The object has changed meanwhile.');
    await client.send(new DeleteObjectCommand({ Bucket: source, Key: 'gone' }));
    await expect(remote.open(entry, signal)).rejects.toThrow('no such bucket or object');
  });
});

/** Returns the secret of the tests as it is sealed for an import. */
async function resealed(id: string): Promise<string> {
  const { seal } = await import('../../../server/platform/secrets/secrets.ts');
  return seal(server.services.keys('s3-import-seal'), KEYS.secretAccessKey, id);
}
