import { expect, test } from 'bun:test';
import type { BulkResultWire, FileWire, FolderJobWire } from '../../../server/contract/wire.ts';
import { foldChanges } from '../../../server/features/usage/service.ts';
import { createBucket, createToken, form, signUp, uploadFile } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { makeNoise } from '../../support/fixtures/make-media.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedServerInProcess } from '../../support/server/in-process-server.ts';

const server = await sharedServerInProcess();
const user = await signUp(server);
const bucket = await createBucket(server, user.token);
const other = await createBucket(server, user.token, 'Other');
const stranger = await signUp(server);
const theirs = await createBucket(server, stranger.token);
const key = { 'x-api-key': bucket.api_key };

async function put(path: string, { id, api_key } = bucket, body: BlobPart = path) {
  const response = await fetch(`${server.url}/files/upload/file/${id}`, {
    method: 'POST',
    body: form({ path, access: 'public' }, new Blob([body]), 'a.txt'),
    headers: { 'x-api-key': api_key },
  });
  expect(response.status).toBe(201);
  return (await response.json()) as FileWire;
}
const post = (path: string, body: unknown, headers: Record<string, string> = key) =>
  fetch(server.url + path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const send = (id: string, body: unknown, headers?: Record<string, string>) =>
  post(`/files/copy/${bucket.id}/${id}`, body, headers);
async function copy(id: string, body: unknown, headers?: Record<string, string>) {
  const response = await send(id, body, headers);
  expect([response.status, response.ok ? '' : await response.text()]).toEqual([200, '']);
  return (await response.json()) as FileWire;
}
const codeOf = async (responding: Promise<Response>) => {
  const response = await responding;
  return [response.status, response.headers.get('x-error-code')];
};
const open = async (url: string | null) => {
  const response = await fetch(url ?? '');
  return response.ok ? await response.text() : response.status;
};
const remove = ({ id }: FileWire) =>
  fetch(`${server.url}/files/${bucket.id}/${id}`, { method: 'DELETE', headers: key });
const keys = async () =>
  (await Array.fromAsync(server.services.objects.list(''))).map((object) => object.key).sort();
const blobOf = (id: string) =>
  server.db
    .selectFrom('files')
    .innerJoin('blobs', 'blobs.id', 'files.blob_id')
    .select(['blobs.id', 'blobs.refs', 'blobs.object_key'])
    .where('files.id', '=', id)
    .executeTakeFirstOrThrow();
const usageOf = async (id: string) => {
  // On PostgreSQL what has changed is added to the row of its bucket later.
  await foldChanges(server.services.database, { waits: true });
  const row = await server.db
    .selectFrom('buckets')
    .select(['usage', 'total_uploads'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return [row.usage, row.total_uploads];
};
const NO_FINDINGS = () => findingsOf(server.config);

test('a copy within a bucket shares the bytes, counts as a file, and outlives the other one', async () => {
  const file = await put('one/a.txt');
  await fetch(`${server.url}/files/${bucket.id}/${file.id}`, {
    method: 'PATCH',
    headers: { ...key, 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { by: 'Ada' } }),
  });
  const before = await keys();
  const [usage = 0, files = 0] = await usageOf(bucket.id);
  const made = await copy(file.id, { path: 'two/b.txt' });
  expect(made).toMatchObject({ path: 'two/b.txt', name: 'b.txt', size: 9, sha256: file.sha256 });
  expect(made).toMatchObject({ access: 'public', status: 'success', metadata: { by: 'Ada' } });
  expect(made.id).not.toBe(file.id);
  expect(await keys()).toEqual(before);
  expect(await usageOf(bucket.id)).toEqual([usage + 9, files + 1]);
  expect((await blobOf(made.id)).refs).toBe(2);
  expect((await remove(file)).status).toBe(204);
  await server.services.housekeeping.round();
  expect(await open(made.url)).toBe('one/a.txt');
  expect((await blobOf(made.id)).refs).toBe(1);
  expect(await NO_FINDINGS()).toEqual([]);
  expect((await remove(made)).status).toBe(204);
  await server.services.housekeeping.round();
  expect((await keys()).length).toBe(before.length - 1);
});

test('a copy without a path gets a number, and a taken path is refused, numbered or replaced', async () => {
  const file = await put('c/a.txt');
  expect((await copy(file.id, { on_conflict: 'rename' })).path).toBe('c/a (2).txt');
  await put('c/taken.txt');
  expect(await codeOf(send(file.id, { path: 'c/taken.txt' }))).toEqual([409, 'path-taken']);
  const renamed = await copy(file.id, { path: 'c/taken.txt', on_conflict: 'rename' });
  expect(renamed.path).toBe('c/taken (2).txt');
  const replaced = await copy(file.id, { path: 'c/taken.txt', on_conflict: 'replace' });
  expect(await open(replaced.path_url)).toBe('c/a.txt');
  expect(await codeOf(send(file.id, { path: 'c/a.txt', on_conflict: 'replace' }))).toEqual([
    ...[422, 'invalid'],
  ]);
  expect(await open(file.url)).toBe('c/a.txt');
  expect(await NO_FINDINGS()).toEqual([]);
});

test('a copy to another bucket of the account has bytes of its own, and needs the session', async () => {
  const file = await put('x/a.txt');
  const body = { path: 'there.txt', bucket_id: other.id };
  expect(await codeOf(send(file.id, body))).toEqual([404, 'not-found']);
  const made = await copy(file.id, body, user.authorization);
  expect((await blobOf(made.id)).object_key).toContain(`/${other.id}/${made.id}/`);
  expect((await remove(file)).status).toBe(204);
  await server.services.housekeeping.round();
  expect(await open(made.url)).toBe('x/a.txt');
  expect(await NO_FINDINGS()).toEqual([]);
});

test('nobody copies files of others, or into buckets of others, and nothing changes', async () => {
  const [mine, foreign] = [await put('mine.txt'), await put('foreign.txt', theirs)];
  const [usage, their] = [await usageOf(bucket.id), await usageOf(theirs.id)];
  const read = await createToken(server, bucket);
  const write = await createToken(server, bucket, { scope: 'write' });
  const attempts: [Promise<Response>, number][] = [
    [send(foreign.id, { path: 'x' }), 404],
    [send(mine.id, { bucket_id: theirs.id }, user.authorization), 404],
    [send(mine.id, { bucket_id: 'x' }, user.authorization), 404],
    [send(mine.id, { path: 'x' }, stranger.authorization), 404],
    [send(mine.id, { path: 'x' }, { 'x-api-key': theirs.api_key }), 404],
    [send(mine.id, { path: 'x' }, { authorization: `Bearer ${write}` }), 401],
    [send(mine.id, { path: 'x' }, { authorization: `Bearer ${read}` }), 401],
    [send(mine.id, { path: 'x' }, {}), 401],
    [
      post(`/files/bulk/copy/${bucket.id}`, { ids: [mine.id], folder: '' }, stranger.authorization),
      404,
    ],
    [
      post(
        `/files/folder-jobs/${bucket.id}`,
        { action: 'copy', path: 'c', target: 'd', bucket_id: theirs.id },
        user.authorization,
      ),
      404,
    ],
  ];
  for (const [responding, status] of attempts) expect((await responding).status).toBe(status);
  const bulk = await post(`/files/bulk/copy/${bucket.id}`, { ids: [foreign.id], folder: '' });
  const { data } = (await bulk.json()) as BulkResultWire;
  expect(data[0]?.error?.code).toBe('not-found');
  expect([await usageOf(bucket.id), await usageOf(theirs.id)]).toEqual([usage, their]);
});

test('a processed image is copied with what was made of it, also where its original is kept', async () => {
  const noise = await makeNoise(20_000);
  for (const webp of ['', 'yes']) {
    const fields: Record<string, string> = { access: 'public', webp };
    const image = await uploadFile(server, bucket, 'image', fields, noise, 'noise.png');
    for (const target of [bucket.id, other.id]) {
      const made = await copy(
        image.id,
        { path: `images/${webp || 'plain'}`, bucket_id: target },
        user.authorization,
      );
      expect(made).toMatchObject({ width: image.width, height: image.height, status: 'success' });
      expect(made.kept_original).toBe(image.kept_original);
      const [one, two] = await Promise.all([fetch(image.url ?? ''), fetch(made.url ?? '')]);
      expect(await two.bytes()).toEqual(await one.bytes());
    }
    expect((await remove(image)).status).toBe(204);
  }
  await server.services.housekeeping.round();
  const rows = await server.db
    .selectFrom('files')
    .select(['id', 'bucket_id'])
    .where('path', 'like', 'images/%')
    .execute();
  expect(rows).toHaveLength(4);
  expect(await NO_FINDINGS()).toEqual([]);
});

test('what is known of a recording comes along', async () => {
  const file = await put('sound.mp3');
  const media = { status: 'success', playable: 0, webp_skipped: 0, is_turned: 0, duration: 12 };
  await server.db
    .insertInto('media')
    .values({ file_id: file.id, ...media } as never)
    .execute();
  const made = await copy(file.id, { path: 'sound-copy.mp3' });
  expect(made.duration).toBe(12);
});

test('a file that is being processed is not copied', async () => {
  const file = await put('busy.png');
  const media = { status: 'processing', playable: 0, webp_skipped: 0, is_turned: 0 };
  await server.db
    .insertInto('media')
    .values({ file_id: file.id, ...media } as never)
    .execute();
  expect(await codeOf(send(file.id, { on_conflict: 'rename' }))).toEqual([409, 'not-ready']);
});

test('the rules of the other bucket and the limit of the account hold for copies, also many at once', async () => {
  const owner = await signUp(server);
  const [from, to] = [
    await createBucket(server, owner.token),
    await createBucket(server, owner.token),
  ];
  const file = await put('a.bin', from, new Uint8Array(1000));
  const attempt = (body: object) =>
    codeOf(
      post(`/files/copy/${from.id}/${file.id}`, { bucket_id: to.id, ...body }, owner.authorization),
    );
  const rules = async (columns: object) =>
    void (await server.db.updateTable('buckets').set(columns).where('id', '=', to.id).execute());
  await rules({ allowed_types: JSON.stringify(['image/*']) });
  expect(await attempt({})).toEqual([415, 'type-refused']);
  await rules({ allowed_types: null, max_file_bytes: 999 });
  expect(await attempt({})).toEqual([413, 'too-large']);
  await rules({ max_file_bytes: null, storage_limit: 1500 });
  expect((await attempt({}))[0]).toBe(200);
  expect(await attempt({})).toEqual([403, 'bucket-full']);
  await rules({ storage_limit: null });
  await server.db
    .updateTable('users')
    .set({ max_bytes: 5500 })
    .where('id', '=', owner.userId)
    .execute();
  const results = await Promise.all(
    Array.from({ length: 20 }, () => attempt({ path: 'b.bin', on_conflict: 'rename' })),
  );
  expect(results.filter(([status]) => status === 200).length).toBeLessThanOrEqual(3);
  for (const [status] of results) expect([200, 403, 429]).toContain(status as number);
  await until(async () => ((await attempt({}))[0] === 403 ? true : undefined));
  const [usage = 0] = await usageOf(to.id);
  expect(usage).toBeLessThanOrEqual(4500);
  await server.db.updateTable('buckets').set({ banned_at: 1 }).where('id', '=', to.id).execute();
  expect((await attempt({}))[0]).toBe(403);
  await server.services.housekeeping.round();
  const left = await server.db
    .selectFrom('pending_deletes')
    .select('prefix')
    .where('user_id', '=', owner.userId)
    .execute();
  expect(left).toEqual([]);
});

test('many files are copied into a folder, with a result for each', async () => {
  const files = await Promise.all(['m/1.txt', 'm/2.txt', 'n/2.txt'].map((path) => put(path)));
  const ids = files.map(({ id }) => id);
  const response = await post(`/files/bulk/copy/${bucket.id}`, { ids, folder: 'many' });
  const { data } = (await response.json()) as BulkResultWire;
  expect(data.map(({ error }) => error?.code ?? null)).toEqual([null, null, 'path-taken']);
});

const state = async (id: string) => {
  const response = await fetch(`${server.url}/files/folder-jobs/${bucket.id}/${id}`, {
    headers: key,
  });
  return (await response.json()) as FolderJobWire;
};

test('a folder is copied with all that is in it, each file once, and what is taken is counted', async () => {
  const names = Array.from({ length: 40 }, (_, n) => `deep/${n}.txt`);
  await Promise.all(names.map((name) => put(`folder/${name}`)));
  await put('folder/taken.txt');
  await put('taken.txt', other, 'theirs');
  await post(`/files/folder/${bucket.id}`, { path: 'folder/empty' });
  for (const [target, bucketId, conflicts] of [
    ['copied/', bucket.id, 0],
    ['again', other.id, 0],
  ] as const) {
    const body = { action: 'copy', path: 'folder', target, bucket_id: bucketId };
    const started = await post(`/files/folder-jobs/${bucket.id}`, body, user.authorization);
    expect(started.status).toBe(202);
    const { id } = (await started.json()) as FolderJobWire;
    const job = await until(async () => {
      const now = await state(id);
      return now.status === 'running' ? undefined : now;
    });
    expect(job).toMatchObject({
      status: 'completed',
      done: 42,
      conflicts,
      target_bucket_id: bucketId,
    });
    const folder = `${target.replace('/', '')}/`;
    const rows = await server.db
      .selectFrom('files')
      .select('path')
      .where('bucket_id', '=', bucketId)
      .where('path', 'like', `${folder}%`)
      .orderBy('path')
      .execute();
    expect(rows.map(({ path }) => path)).toEqual(
      [...names, 'taken.txt', 'empty/'].map((name) => folder + name).sort(),
    );
  }
  const nested = await post(`/files/folder-jobs/${bucket.id}`, {
    action: 'copy',
    path: 'folder',
    target: 'folder/in',
  });
  expect(nested.status).toBe(422);
  expect(await NO_FINDINGS()).toEqual([]);
});

test('a job that was interrupted goes on where it was, and one into a bucket that takes nothing stops', async () => {
  await Promise.all(['1', '2', '3'].map((name) => put(`resume/${name}.txt`)));
  const row = (target_bucket_id: string, position: string, id: string) => ({
    ...{
      id,
      bucket_id: bucket.id,
      user_id: user.userId,
      action: 'copy' as const,
      target_bucket_id,
    },
    ...{ source: 'resume/', target: 'resumed/', actor: '"system"', status: 'running' as const },
    ...{ position, done: 1, conflicts: 0, created_at: Date.now() + 1000, ended_at: null },
  });
  const id = 'a'.repeat(26);
  await server.db
    .insertInto('folder_jobs')
    .values(row(other.id, 'resume/1.txt\u0001', id))
    .execute();
  await Promise.all([
    server.services.files.folderJobs.runAll(AbortSignal.timeout(60_000)),
    server.services.housekeeping.round(),
  ]);
  const done = await until(async () =>
    (await state(id)).status === 'running' ? undefined : state(id),
  );
  expect(done).toMatchObject({ status: 'completed', done: 3, conflicts: 0 });
  const rows = await server.db
    .selectFrom('files')
    .select('path')
    .where('path', 'like', 'resumed/%')
    .orderBy('path')
    .execute();
  expect(rows.map(({ path }) => path)).toEqual(['resumed/2.txt', 'resumed/3.txt']);
  const gone = 'b'.repeat(26);
  await server.db
    .insertInto('folder_jobs')
    .values(row('c'.repeat(26), 'resume/', gone))
    .execute();
  await server.services.files.folderJobs.runAll(AbortSignal.timeout(60_000));
  expect(await state(gone)).toMatchObject({ status: 'stopped', done: 1 });
});

test('an account runs four jobs at a time', async () => {
  const owner = await signUp(server);
  const ids = await Promise.all(
    [1, 2, 3, 4, 5].map(async () => (await createBucket(server, owner.token)).id),
  );
  for (const bucket_id of ids.slice(0, 4)) {
    await server.db
      .insertInto('folder_jobs')
      .values({
        ...{
          id: `${bucket_id}`,
          bucket_id,
          user_id: owner.userId,
          action: 'copy',
          target_bucket_id: bucket_id,
        },
        ...{ source: 'a/', target: 'b/', actor: '"system"', status: 'running', position: 'a/' },
        ...{ done: 0, conflicts: 0, created_at: 1, ended_at: null },
      })
      .execute();
  }
  const fifth = ids[4] ?? '';
  const bucketOfFifth = await createBucket(server, owner.token);
  await put('a/1.txt', bucketOfFifth);
  const start = (id: string) =>
    post(`/files/folder-jobs/${id}`, { action: 'delete', path: 'a' }, owner.authorization);
  expect((await start(bucketOfFifth.id)).status).toBe(429);
  await server.db
    .updateTable('folder_jobs')
    .set({ ended_at: 2, status: 'stopped' })
    .where('user_id', '=', owner.userId)
    .execute();
  expect((await start(bucketOfFifth.id)).status).toBe(202);
  expect(fifth).not.toBe('');
});
