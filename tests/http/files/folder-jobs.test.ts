import { afterAll, expect, test } from 'bun:test';
import type { FolderJobWire, FolderPageWire } from '../../../server/contract/wire.ts';
import { createBucket, createToken, form, signUp } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { startServerInProcess } from '../../support/server/in-process-server.ts';

const server = await startServerInProcess();
afterAll(() => server.stop());
const user = await signUp(server);
const bucket = await createBucket(server, user.token);
const key = { 'x-api-key': bucket.api_key };
const json = { 'content-type': 'application/json' };

async function put(path: string): Promise<void> {
  const response = await fetch(`${server.url}/files/upload/file/${bucket.id}`, {
    method: 'POST',
    body: form({ path }, new Blob([path]), 'a.txt'),
    headers: key,
  });
  expect(response.status).toBe(201);
}
const createFolder = (path: string) =>
  fetch(`${server.url}/files/folder/${bucket.id}`, {
    method: 'POST',
    headers: { ...key, ...json },
    body: JSON.stringify({ path }),
  });
const start = (body: unknown, headers: Record<string, string> = key) =>
  fetch(`${server.url}/files/folder-jobs/${bucket.id}`, {
    method: 'POST',
    headers: { ...headers, ...json },
    body: JSON.stringify(body),
  });
const call = (id: string, method = 'GET', headers: Record<string, string> = key) =>
  fetch(`${server.url}/files/folder-jobs/${bucket.id}/${id}`, { method, headers });
const stateOf = async (id: string) => (await (await call(id)).json()) as FolderJobWire;

/** Starts a job, and returns it once it has ended. */
async function run(body: unknown): Promise<FolderJobWire> {
  const response = await start(body);
  expect(response.status).toBe(202);
  const { id } = (await response.json()) as FolderJobWire;
  return until(async () => {
    const job = await stateOf(id);
    return job.status === 'running' ? undefined : job;
  });
}
/** Returns the paths of all files and created folders below a prefix, as the rows say. */
async function pathsBelow(prefix: string): Promise<string[]> {
  const rows = await server.db
    .selectFrom('files')
    .select('path')
    .where('bucket_id', '=', bucket.id)
    .execute();
  return rows
    .map(({ path }) => path)
    .filter((path) => path.startsWith(prefix))
    .sort();
}

test('a folder is moved with all that is in it, and what is at a taken path stays and is counted', async () => {
  const names = Array.from({ length: 70 }, (_, n) => `${n}.txt`);
  await Promise.all(names.map((name) => put(`from/deep/${name}`)));
  for (const path of ['from/taken.txt', 'to/taken.txt', 'from/b.txt', 'from-other/a.txt']) {
    await put(path);
  }
  for (const path of ['from', 'from/empty', 'to'])
    expect((await createFolder(path)).status).toBe(200);
  const job = await run({ action: 'move', path: 'from', target: 'to/' });
  expect(job).toMatchObject({
    ...{ action: 'move', path: 'from/', target: 'to/', status: 'completed' },
    conflicts: 1,
    failures: [
      {
        path: 'from/taken.txt',
        error: { code: 'path-taken', message: expect.stringContaining('path') },
      },
    ],
  });
  expect(await pathsBelow('from/')).toEqual(['from/taken.txt']);
  expect(await pathsBelow('to/')).toEqual(
    [
      'to/',
      'to/empty/',
      'to/taken.txt',
      'to/b.txt',
      ...names.map((one) => `to/deep/${one}`),
    ].sort(),
  );
  expect(await pathsBelow('from-other/')).toEqual(['from-other/a.txt']);
  const moved = `${server.url}/cdn/${bucket.id}/~/to/deep/7.txt`;
  expect(await (await fetch(moved)).text()).toBe('from/deep/7.txt');
  expect(await (await fetch(`${server.url}/cdn/${bucket.id}/~/to/taken.txt`)).text()).toBe(
    'to/taken.txt',
  );
  expect(await findingsOf(server.config)).toEqual([]);
});

test('the first hundred files that stay are named, and the others are counted', async () => {
  const names = Array.from({ length: 103 }, (_, n) => `${n}.txt`).sort();
  await Promise.all(names.flatMap((name) => [put(`left/${name}`), put(`full/${name}`)]));
  for (const action of ['move', 'copy']) {
    const job = await run({ action, path: 'left', target: 'full' });
    expect(job).toMatchObject({ done: 0, conflicts: 103 });
    expect(job.failures.map(({ path }) => path)).toEqual(
      names.slice(0, 100).map((name) => `left/${name}`),
    );
    expect(new Set(job.failures.map(({ error }) => error.code))).toEqual(new Set(['path-taken']));
    expect(await stateOf(job.id)).toEqual(job);
  }
});

test('the last jobs of a bucket are listed, so that a page finds one that runs', async () => {
  await put('listed/a.txt');
  const ended = await run({ action: 'move', path: 'listed', target: 'listed-2' });
  const names = Array.from({ length: 64 }, (_, n) => `${n}.txt`);
  await Promise.all(names.map((name) => put(`listed-2/${name}`)));
  const body = { action: 'move', path: 'listed-2', target: 'listed-3' };
  const started = (await (await start(body)).json()) as FolderJobWire;
  const url = `${server.url}/files/folder-jobs/${bucket.id}`;
  const listed = async () =>
    ((await (await fetch(url, { headers: key })).json()) as { data: FolderJobWire[] }).data;
  const [newest, before] = await listed();
  expect(newest).toMatchObject({ id: started.id, path: 'listed-2/', target: 'listed-3/' });
  expect(before).toEqual(ended);
  await until(async () => (await stateOf(started.id)).status !== 'running');
  expect((await listed())[0]).toEqual(await stateOf(started.id));
  expect((await listed()).length).toBeLessThanOrEqual(20);
  const stranger = await signUp(server);
  expect((await fetch(url, { headers: stranger.authorization })).status).toBe(404);
  expect((await fetch(url)).status).toBe(401);
});

test('a folder is deleted with all that is in it, and nothing else', async () => {
  for (const path of ['gone/a.txt', 'gone/x/y/b.txt', 'gone-not/a.txt', 'gone.txt'])
    await put(path);
  await createFolder('gone/empty');
  expect(await run({ action: 'delete', path: 'gone/' })).toMatchObject({
    ...{ status: 'completed', done: 3, conflicts: 0, target: null },
  });
  expect(await pathsBelow('gone')).toEqual(['gone-not/a.txt', 'gone.txt']);
  const list = await fetch(`${server.url}/files/folder/${bucket.id}`, { headers: key });
  expect(((await list.json()) as FolderPageWire).folders).not.toContain('gone/');
  expect((await start({ action: 'delete', path: 'gone/' })).status).toBe(404);
  expect(await findingsOf(server.config)).toEqual([]);
});

test('a job that is stopped keeps what it has done, and the same move goes on from there', async () => {
  const names = Array.from({ length: 100 }, (_, n) => `${n}.txt`);
  await Promise.all(names.map((name) => put(`stop/${name}`)));
  const move = { action: 'move', path: 'stop', target: 'stopped' };
  const { id } = (await (await start(move)).json()) as FolderJobWire;
  const stopped = (await (await call(id, 'DELETE')).json()) as FolderJobWire;
  expect(['stopped', 'completed']).toContain(stopped.status);
  const left = (await pathsBelow('stop/')).length;
  expect(left + (await pathsBelow('stopped/')).length).toBe(100);
  expect(stopped.status).toBe(left > 0 ? 'stopped' : 'completed');
  if (left > 0) expect(await run(move)).toMatchObject({ status: 'completed', done: left });
  expect(await pathsBelow('stopped/')).toEqual(names.map((name) => `stopped/${name}`).sort());
  expect(await pathsBelow('stop/')).toEqual([]);
});

test('a job whose process died goes on where it was', async () => {
  for (const name of ['a', 'b', 'c']) await put(`died/${name}`);
  const created_at = Date.now() + 1;
  const id = '01died00000000000000000000';
  await server.db
    .insertInto('folder_jobs')
    .values({
      ...{ id, bucket_id: bucket.id, action: 'move', source: 'died/', target: 'lives/' },
      ...{ actor: '"system"', status: 'running', position: 'died/b', done: 1, conflicts: 0 },
      ...{ created_at, ended_at: null },
    })
    .execute();
  expect((await start({ action: 'move', path: 'died', target: 'other' })).status).toBe(409);
  await server.services.housekeeping.round();
  const job = await until(async () => {
    const state = await stateOf(id);
    return state.status === 'completed' ? state : undefined;
  });
  expect(job.done).toBe(3);
  expect(await pathsBelow('died/')).toEqual(['died/a']);
  expect(await pathsBelow('lives/')).toEqual(['lives/b', 'lives/c']);
});

test('a wrong folder, and callers without the right, start and see nothing', async () => {
  await put('safe/a.txt');
  for (const wrong of [
    {},
    { action: 'copy', path: 'safe' },
    { action: 'delete' },
    ...['', '/', '../x', 'a//b', 7].map((path) => ({ action: 'delete', path })),
    ...[undefined, '', '/', 'safe', 'safe/x', '../x', 7].map((target) => ({
      ...{ action: 'move', path: 'safe', target },
    })),
    { action: 'move', path: 'safe/deep', target: 'safe' },
  ]) {
    expect([wrong, (await start(wrong)).status]).toEqual([wrong, 422]);
  }
  expect((await start({ action: 'delete', path: 'none' })).status).toBe(404);
  const job = await run({ action: 'delete', path: 'lives' });
  const stranger = await signUp(server);
  const theirs = await createBucket(server, stranger.token);
  const token = await createToken(server, bucket, { scope: 'write' });
  for (const [headers, status] of [
    [stranger.authorization, 404],
    [{ authorization: `Bearer ${token}` }, 401],
    [{}, 401],
  ] as const) {
    expect((await start({ action: 'delete', path: 'safe' }, headers)).status).toBe(status);
    for (const method of ['GET', 'DELETE']) {
      expect((await call(job.id, method, headers)).status).toBe(status);
    }
  }
  // The id of a job opens it in its own bucket only.
  const url = `${server.url}/files/folder-jobs/${theirs.id}/${job.id}`;
  expect((await fetch(url, { headers: { 'x-api-key': theirs.api_key } })).status).toBe(404);
  expect(await pathsBelow('safe/')).toEqual(['safe/a.txt']);
});
