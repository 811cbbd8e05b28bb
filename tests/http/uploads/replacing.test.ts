import { beforeEach, describe, expect, test } from 'bun:test';
import { Failure } from '../../../server/contract/failure.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createToken, form, listFiles, waitForFile } from '../../support/client/api.ts';
import { encode, locationOf, speakTus } from '../../support/client/tus.ts';
import { until } from '../../support/client/wait.ts';
import { clip, photo } from '../../support/fixtures/make-media.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

const { server, user, bucket } = await sharedBucketInProcess();
const { endpoint, call, create, patch } = speakTus(server, bucket);
const { media } = server.services;
const { run } = media;
const key: Record<string, string> = { 'x-api-key': bucket.api_key };

/** The files whose processing waits, by their ids, and what ends that. */
const held = new Map<string, PromiseWithResolvers<void>>();
const isHeld = (id: string) => until(async () => held.get(id));
const release = async (id: string) => (await isHeld(id)).resolve();
const failHeld = async (id: string, retry: 'never' | 'later' = 'never') =>
  (await isHeld(id)).reject(new Failure('It is broken.', { retry: retry as never }));

/** Has the processing of each file wait until it is released. */
function holdProcessing() {
  media.run = async (job, options) => {
    const [, , id = ''] = 'prefix' in job ? job.prefix.split('/') : [];
    const waiting = Promise.withResolvers<void>();
    held.set(id, waiting);
    await waiting.promise;
    return run(job, options);
  };
}
beforeEach(() => {
  media.run = run;
  held.clear();
});

type Fields = Record<string, string>;
type Way = (fields: Fields, headers?: Fields) => Promise<Response>;
const blob = (bytes: Uint8Array | string) => new Blob([bytes as never]);
const post = (kind: string, body: FormData, headers: Fields) =>
  fetch(`${server.url}/files/upload/${kind}/${bucket.id}`, {
    ...{ method: 'POST', body, headers },
  });

const image: Way = async (fields, headers = key) =>
  post('image', form(fields, blob(await photo()), 'new.jpg'), headers);
const chunk: Way = async (fields, headers = key) => {
  const about = { chunk_number: '0', total_chunks: '1', client_id: crypto.randomUUID() };
  const bytes = await clip({ seconds: 1 });
  return post('video', form({ ...about, resolution: '160x90', ...fields }, blob(bytes)), headers);
};
const tus: Way = async (fields, headers = {}) => {
  const bytes = await photo();
  const begun = await create(bytes.length, { filename: 'new.jpg', ...fields }, headers);
  return begun.status === 201 ? patch(locationOf(begun), 0, bytes) : begun;
};
const ways = Object.entries({ image, chunk, tus });

const plain = (text: string, fields: Fields, headers = key) =>
  post('file', form(fields, blob(text), 'old.txt'), headers);
async function fileOf(response: Response): Promise<FileWire> {
  const text = await response.text();
  expect([response.status, text]).toEqual([expect.any(Number), expect.any(String)]);
  expect(response.ok ? '' : text).toBe('');
  const id = response.headers.get('x-file-id') ?? JSON.parse(text).id;
  return find(id);
}
const find = async (id: string): Promise<FileWire> =>
  (await (await fetch(`${server.url}/files/${bucket.id}/${id}`, { headers: key })).json()) as never;
const statusOf = async (id: string) =>
  (await fetch(`${server.url}/files/${bucket.id}/${id}`, { headers: key })).status;
const filesBelow = async (folder: string) =>
  (await listFiles(server, bucket)).data
    .filter(({ path }) => path.startsWith(folder))
    .map(({ id, path }) => [path, id]);
const textAt = async ({ path_url }: FileWire) => (await fetch(path_url ?? '')).text();
const waiting = () => server.db.selectFrom('replacements').selectAll().execute();
const errorOf = async (response: Response) => [
  response.status,
  response.headers.get('x-error-code'),
];

describe.each(ways)('a file that is processed, by %s', (name, send) => {
  const path = (file: string) => `${name}/${file}`;

  test('replaces another one once it is published, and not before', async () => {
    const at = { path: path('a.bin') };
    const old = await fileOf(await plain('old', at));
    holdProcessing();
    const file = await fileOf(await send({ ...at, on_conflict: 'replace' }));
    await isHeld(file.id);
    expect([file.path, file.status]).toEqual([path('a (2).bin'), 'processing']);
    expect([file.replaces_path, (await find(old.id)).replaces_path]).toEqual([at.path, null]);
    const listed = (await listFiles(server, bucket)).data.find(({ id }) => id === file.id);
    expect(listed?.replaces_path).toBe(at.path);
    expect(await textAt(old)).toBe('old');
    await release(file.id);
    const published = await waitForFile(server, bucket, file.id);
    const { path_url } = old;
    expect(published).toMatchObject({ status: 'success', path: at.path, path_url });
    expect(published.replaces_path).toBeNull();
    expect(await filesBelow(`${name}/`)).toEqual([[at.path, file.id]]);
    expect(await textAt(old)).not.toBe('old');
    expect([await statusOf(old.id), (await fetch(old.url ?? '')).status]).toEqual([404, 404]);
    expect(await waiting()).not.toContainEqual(expect.objectContaining({ path: at.path }));
    expect(await findingsOf(server.config)).toEqual([]);
  });

  test('that fails leaves the other one', async () => {
    const at = { path: path('broken.bin') };
    const old = await fileOf(await plain('old', at));
    holdProcessing();
    const file = await fileOf(await send({ ...at, on_conflict: 'replace' }));
    await failHeld(file.id);
    expect(await waitForFile(server, bucket, file.id)).toMatchObject({ status: 'error' });
    expect([await textAt(old), (await find(old.id)).path]).toEqual(['old', at.path]);
    const failed = await find(file.id);
    expect([failed.path, failed.replaces_path]).toEqual([path('broken (2).bin'), null]);
    expect(await findingsOf(server.config)).toEqual([]);
  });

  test('is refused by default where a file is at its path, and leaves nothing', async () => {
    const at = { path: path('taken.bin') };
    await fileOf(await plain('old', at));
    const objects = async () => (await server.db.selectFrom('files').select('id').execute()).length;
    const before = await objects();
    expect(await errorOf(await send(at))).toEqual([409, 'path-taken']);
    expect(await errorOf(await send({ ...at, on_conflict: 'error' }))).toEqual([409, 'path-taken']);
    expect(await errorOf(await send({ ...at, on_conflict: 'all' }))).toEqual([422, 'invalid']);
    expect(await errorOf(await send({ ...at, folder: 'b' }))).toEqual([422, 'invalid']);
    expect(await objects()).toBe(before);
    const renamed = await fileOf(await send({ ...at, on_conflict: 'rename' }));
    expect([renamed.path, renamed.replaces_path]).toEqual([path('taken (2).bin'), null]);
    await waitForFile(server, bucket, renamed.id);
  });

  test('is created once with If-None-Match: *, and replaces one version with If-Match', async () => {
    const at = { path: path('matched.bin') };
    const none = { ...key, 'if-none-match': '*' };
    const created = await Promise.all([send(at, none), send(at, none)]);
    expect(created.map(({ ok }) => ok).sort()).toEqual([false, true]);
    const first = await fileOf(created.find(({ ok }) => ok) as Response);
    const { path_url } = await waitForFile(server, bucket, first.id);
    const etag = (await fetch(path_url ?? '', { redirect: 'manual' })).headers.get('etag');
    const match = (tag: string | null) => ({ ...key, 'if-match': tag ?? '"none"' });
    expect(await errorOf(await send(at, match('"other"')))).toEqual([412, 'other-version']);
    expect(await errorOf(await send(at, none))).toEqual([412, 'other-version']);
    if (!etag) return;
    holdProcessing();
    const answers = await Promise.all([send(at, match(etag)), send(at, match(etag))]);
    expect(answers.map(({ ok }) => ok).sort()).toEqual([false, true]);
    expect(answers.find(({ ok }) => !ok)?.status).toBe(412);
    const second = await fileOf(answers.find(({ ok }) => ok) as Response);
    await release(second.id);
    expect(await waitForFile(server, bucket, second.id)).toMatchObject(at);
    expect(await statusOf(first.id)).toBe(404);
  });

  test('with a write token replaces nothing', async () => {
    const at = { path: path('kept.bin'), on_conflict: 'replace' };
    await fileOf(await plain('old', at));
    const token = await createToken(server, bucket, { scope: 'write' });
    const headers = { authorization: `Bearer ${token}` };
    if (name !== 'tus') {
      expect((await send(at, headers)).status).toBe(401);
      expect((await send({ path: at.path }, { ...headers, 'if-match': '*' })).status).toBe(401);
      return;
    }
    const begin = (metadata: Fields, more: Fields) =>
      fetch(endpoint, {
        method: 'POST',
        headers: {
          ...{ ...headers, ...more, 'tus-resumable': '1.0.0', 'upload-length': '5' },
          'upload-metadata': encode(metadata),
        },
      });
    expect((await begin(at, {})).status).toBe(401);
    expect((await begin({ path: at.path }, { 'if-match': '*' })).status).toBe(401);
  });
});

describe('of uploads that wait for the same path', () => {
  const at = (path: string) => ({ path, on_conflict: 'replace' });

  /** Uploads two images that replace a file, whose processing waits. */
  async function two(path: string) {
    const old = await fileOf(await plain('old', at(path)));
    holdProcessing();
    const first = await fileOf(await image(at(path)));
    const second = await fileOf(await image(at(path)));
    for (const { id } of [first, second]) await isHeld(id);
    return { old, first, second };
  }

  test('the last one stays where the first is published first', async () => {
    const { old, first, second } = await two('order/a.jpg');
    await release(first.id);
    expect((await waitForFile(server, bucket, first.id)).path).toBe('order/a.jpg');
    await release(second.id);
    expect((await waitForFile(server, bucket, second.id)).path).toBe('order/a.jpg');
    expect(await filesBelow('order/')).toEqual([['order/a.jpg', second.id]]);
    expect([await statusOf(old.id), await statusOf(first.id)]).toEqual([404, 404]);
  });

  test('the last one stays where it is published first, and the other one ends', async () => {
    const { first, second } = await two('order/b.jpg');
    await release(second.id);
    await waitForFile(server, bucket, second.id);
    expect(await filesBelow('order/b')).toEqual([['order/b.jpg', second.id]]);
    expect(await statusOf(first.id)).toBe(404);
    (await isHeld(first.id)).resolve();
    const jobs = server.db.selectFrom('jobs').select('state').where('subject', '=', first.id);
    await until(async () =>
      (await jobs.execute()).every(({ state }) => state !== 'queued' && state !== 'running'),
    );
    expect(await filesBelow('order/b')).toEqual([['order/b.jpg', second.id]]);
  });

  test('the first one stays where the last one fails', async () => {
    const { old, first, second } = await two('order/c.jpg');
    await failHeld(second.id);
    await waitForFile(server, bucket, second.id);
    expect(await textAt(old)).toBe('old');
    await release(first.id);
    expect((await waitForFile(server, bucket, first.id)).path).toBe('order/c.jpg');
    expect((await find(second.id)).status).toBe('error');
  });

  test('none is left by a file that takes the path at once', async () => {
    const { first, second } = await two('order/d.jpg');
    const file = await fileOf(await plain('newest', at('order/d.jpg')));
    expect(await filesBelow('order/d')).toEqual([['order/d.jpg', file.id]]);
    expect([await statusOf(first.id), await statusOf(second.id)]).toEqual([404, 404]);
    for (const { id } of [first, second]) await release(id);
    expect(await textAt(file)).toBe('newest');
    expect(await waiting()).not.toContainEqual(expect.objectContaining({ path: 'order/d.jpg' }));
    expect(await findingsOf(server.config)).toEqual([]);
  });

  test('one of many stays, whole', async () => {
    await fileOf(await plain('old', at('many/a.jpg')));
    const sent = Array.from({ length: 10 }, () => image(at('many/a.jpg')));
    const files = await Promise.all((await Promise.all(sent)).map((one) => one.json()));
    const ids = (files as FileWire[]).map(({ id }) => id);
    await until(async () => (await filesBelow('many/')).length === 1);
    const [[path, id] = []] = await filesBelow('many/');
    expect([path, ids.includes(id ?? '')]).toEqual(['many/a.jpg', true]);
    await waitForFile(server, bucket, id ?? '');
    expect(await findingsOf(server.config)).toEqual([]);
  });
});

describe('a file that waits for a path', () => {
  /** Uploads an image that replaces a file, and holds its processing. */
  async function held(path: string) {
    const old = await fileOf(await plain('old', { path }));
    holdProcessing();
    const file = await fileOf(await image({ path, on_conflict: 'replace' }));
    await isHeld(file.id);
    return { old, file };
  }
  const remove = async (id: string) =>
    expect(
      await fetch(`${server.url}/files/${bucket.id}/${id}`, { method: 'DELETE', headers: key }),
    ).toHaveProperty('status', 204);

  test('takes it where the old one is deleted meanwhile', async () => {
    const { old, file } = await held('free/a.jpg');
    await remove(old.id);
    expect((await find(file.id)).replaces_path).toBe('free/a.jpg');
    await release(file.id);
    expect((await waitForFile(server, bucket, file.id)).path).toBe('free/a.jpg');
  });

  test('replaces no file that came to it in another way since', async () => {
    const { old, file } = await held('free/b.jpg');
    await remove(old.id);
    const other = await fileOf(await plain('other', { path: 'free/b.jpg' }));
    expect((await find(file.id)).replaces_path).toBeNull();
    await release(file.id);
    expect((await waitForFile(server, bucket, file.id)).path).toBe('free/b (2).jpg');
    expect(await textAt(other)).toBe('other');
  });

  test('replaces no such file either where it is retried', async () => {
    const { old, file } = await held('free/c.jpg');
    await remove(old.id);
    await failHeld(file.id);
    await waitForFile(server, bucket, file.id);
    const { db } = server;
    // As a failure that may pass leaves it.
    const retry_until = Date.now() + 1e6;
    await db.updateTable('media').set({ retry_until }).where('file_id', '=', file.id).execute();
    expect((await find(file.id)).replaces_path).toBe('free/c.jpg');
    const other = await fileOf(await plain('other', { path: 'free/c.jpg' }));
    expect(await waiting()).toContainEqual(
      expect.objectContaining({ file_id: file.id, replaces: old.id }),
    );
    const { database, files, buckets } = server.services;
    const userId = (await buckets.byId(bucket.id))?.user_id ?? '';
    await database.transaction((tx) => files.replacements.takePathIn(tx, { id: file.id, userId }));
    expect([await textAt(other), (await find(file.id)).path]).toEqual(['other', 'free/c (2).jpg']);
  });

  test('stays where it is moved to', async () => {
    const { old, file } = await held('free/d.jpg');
    const moved = await fetch(`${server.url}/files/${bucket.id}/${file.id}`, {
      method: 'PATCH',
      headers: { ...key, 'content-type': 'application/json' },
      body: JSON.stringify({ path: 'free/moved.jpg' }),
    });
    expect(moved.status).toBe(200);
    expect((await find(file.id)).replaces_path).toBeNull();
    await release(file.id);
    expect((await waitForFile(server, bucket, file.id)).path).toBe('free/moved.jpg');
    expect(await textAt(old)).toBe('old');
  });

  test('leaves nothing that waits when it is deleted', async () => {
    const { old, file } = await held('free/e.jpg');
    await remove(file.id);
    await release(file.id);
    expect(await waiting()).not.toContainEqual(expect.objectContaining({ file_id: file.id }));
    expect(await textAt(old)).toBe('old');
  });

  test('keeps the old one as a version where its bucket does', async () => {
    const keep = (keep_versions: number) =>
      fetch(`${server.url}/buckets/retention/${bucket.id}`, {
        method: 'PUT',
        headers: { ...user.authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ keep_versions }),
      });
    expect((await keep(2)).status).toBe(200);
    const { old, file } = await held('free/f.jpg');
    await release(file.id);
    await waitForFile(server, bucket, file.id);
    const versions = await fetch(`${server.url}/files/${bucket.id}/${file.id}/versions`, {
      headers: key,
    });
    const { data } = (await versions.json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual([old.id]);
    expect((await keep(0)).status).toBe(200);
  });

  test('is refused where too many wait with it', async () => {
    const { file } = await held('free/g.jpg');
    const row = (await waiting()).find(({ file_id }) => file_id === file.id);
    const { db } = server;
    const ids = Array.from({ length: 31 }, (_, n) => `waiting-${n}`);
    const copied = await db.selectFrom('files').selectAll().where('id', '=', file.id).execute();
    const [media = { file_id: '' }] = await db
      .selectFrom('media')
      .selectAll()
      .where('file_id', '=', file.id)
      .execute();
    for (const [n, id] of ids.entries()) {
      await db
        .insertInto('files')
        .values({ ...(copied[0] as never as object), id, path: `free/g-${id}.jpg` } as never)
        .execute();
      await db
        .insertInto('media')
        .values({ ...media, file_id: id } as never)
        .execute();
      await db
        .insertInto('replacements')
        .values({ ...(row as NonNullable<typeof row>), file_id: id, position: n + 2 })
        .execute();
    }
    const refused = await image({ path: 'free/g.jpg', on_conflict: 'replace' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
    await db.deleteFrom('files').where('id', 'in', ids).execute();
    await release(file.id);
    await waitForFile(server, bucket, file.id);
  });
});

test('a tus client reads its metadata back as it was sent', async () => {
  const begun = await create(10, { filename: 'a.jpg' }, { 'if-none-match': '*' });
  const metadata = (await call('HEAD', locationOf(begun))).headers.get('upload-metadata');
  expect(metadata).toBe(encode({ filename: 'a.jpg' }));
});
