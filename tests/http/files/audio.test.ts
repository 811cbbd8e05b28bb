import { afterEach, expect, test } from 'bun:test';
import { Failure } from '../../../server/contract/failure.ts';
import { GIB } from '../../../server/contract/limits.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createBucket, form, listFiles } from '../../support/client/api.ts';
import { locationOf, speakTus } from '../../support/client/tus.ts';
import { until } from '../../support/client/wait.ts';
import { tone } from '../../support/fixtures/make-media.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

const { server, user, bucket } = await sharedBucketInProcess();
const { db, services } = server;
const { media, queue } = services;
const { run } = media;
afterEach(() => {
  media.run = run;
});
const key = { 'x-api-key': bucket.api_key };

async function put(name: string, bytes: Uint8Array | string, fields = {}): Promise<FileWire> {
  const response = await fetch(`${server.url}/files/upload/file/${bucket.id}`, {
    ...{ method: 'POST', headers: key, body: form(fields, new Blob([bytes as never]), name) },
  });
  const text = await response.text();
  expect([response.status, text]).toEqual([201, expect.any(String)]);
  return JSON.parse(text);
}
const find = async (id: string, of = bucket): Promise<FileWire> => {
  const headers = { 'x-api-key': of.api_key };
  return (await (await fetch(`${server.url}/files/${of.id}/${id}`, { headers })).json()) as never;
};
const jobsOf = (id: string) =>
  db.selectFrom('jobs').select(['kind', 'state']).where('subject', '=', id).execute();
const jobEnd = (id: string) => until(async () => (await jobsOf(id)).length === 0);
const measured = (id: string, of = bucket) =>
  until(async () => (await find(id, of)).duration ?? undefined);
const isNear = (duration: number, expected: number) =>
  expect(Math.abs(duration - expected)).toBeLessThan(120);

test('the length of audio is read after the upload, which is delivered at once', async () => {
  const bytes = await tone('tone.mp3', 3);
  const file = await put('song.mp3', bytes);
  expect(file).toMatchObject({ file_type: 'audio', status: 'success', duration: null });
  expect((await fetch(file.url ?? '')).headers.get('content-type')).toBe('audio/mpeg');
  isNear(await measured(file.id), 3000);
  const after = await find(file.id);
  expect(after).toMatchObject({ status: 'success', url: file.url, sha256: file.sha256 });
  expect(Buffer.from(await (await fetch(after.url ?? '')).bytes()).equals(bytes)).toBe(true);
  const listed = (await listFiles(server, bucket)).data.find(({ id }) => id === file.id);
  expect(listed?.duration).toBe(after.duration);
  await jobEnd(file.id);
  expect(await findingsOf(server.config)).toEqual([]);
});

test('an upload by tus is measured too', async () => {
  const { create, patch } = speakTus(server, bucket);
  const bytes = await tone('tone.wav', 2);
  const done = await patch(
    locationOf(await create(bytes.length, { filename: 'talk.wav' })),
    ...([0, bytes] as const),
  );
  isNear(await measured(done.headers.get('x-file-id') ?? ''), 2000);
});

test('a copy has the length, within the bucket and in another one, also once the original is gone', async () => {
  const file = await put('copied.flac', await tone('tone.flac', 2));
  const duration = await measured(file.id);
  const other = await createBucket(server, user.token, 'Copies');
  const copy = async (target: object) => {
    const response = await fetch(`${server.url}/files/copy/${bucket.id}/${file.id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(target),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as FileWire;
  };
  const copies = [await copy({ path: 'near.flac' }), await copy({ bucket_id: other.id })];
  expect(copies.map((one) => one.duration)).toEqual([duration, duration]);
  await fetch(`${server.url}/files/${bucket.id}/${file.id}`, { method: 'DELETE', headers: key });
  const [near = file, far = file] = copies;
  expect((await find(near.id)).duration).toBe(duration);
  expect((await find(far.id, other)).duration).toBe(duration);
});

test.each([
  ['cut.wav', `RIFF${'\0'.repeat(4)}WAVEno audio at all`],
  ['cut.flac', 'fLaC'],
])(
  '%p whose audio is broken stays as it is, without a length or a failed job',
  async (name, text) => {
    let runs = 0;
    media.run = (job, options) => {
      runs += 1;
      return run(job, options);
    };
    const file = await put(name, text);
    expect(file.file_type).toBe('audio');
    await jobEnd(file.id);
    expect(runs).toBe(1);
    expect(await find(file.id)).toMatchObject({ status: 'success', duration: null, error: null });
    expect(await (await fetch(file.url ?? '')).text()).toBe(text);
  },
);

test('a job that fails for a while is tried again, and the file is delivered meanwhile', async () => {
  let runs = 0;
  media.run = async (job, options) => {
    runs += 1;
    if (runs === 1) throw new Failure('The media process was stopped.', { retry: 'later' });
    return run(job, options);
  };
  const file = await put('later.mp3', await tone('tone.mp3', 3));
  await until(async () => runs === 1);
  expect((await fetch(file.url ?? '')).status).toBe(200);
  await until(async () => {
    await db.updateTable('jobs').set({ run_at: 0 }).where('subject', '=', file.id).execute();
    queue.wake('audio');
    return (await find(file.id)).duration !== null;
  });
});

test('audio that is deleted while it is read leaves nothing', async () => {
  const held = Promise.withResolvers<void>();
  let isRunning = false;
  media.run = async (job, options) => {
    isRunning = true;
    await held.promise;
    return run(job, options);
  };
  const file = await put('gone.mp3', await tone('tone.mp3', 3));
  await until(async () => isRunning);
  await fetch(`${server.url}/files/${bucket.id}/${file.id}`, { method: 'DELETE', headers: key });
  held.resolve();
  await until(async () => (await jobsOf(file.id)).every(({ state }) => state !== 'running'));
  expect(await db.selectFrom('blobs').select('id').where('id', '=', file.id).execute()).toEqual([]);
  expect(await findingsOf(server.config)).toEqual([]);
});

test('no other file has a job, nor audio that is empty or too large to be copied', async () => {
  for (const file of [await put('a.txt', 'text'), await put('empty.mp3', '')]) {
    expect(await jobsOf(file.id)).toEqual([]);
    expect(file.duration).toBeNull();
  }
  const upload = { fileId: 'f', bucket: { id: 'b', user_id: 'u' }, contentType: 'audio/mpeg' };
  const sized = (size: number) =>
    services.processing.onPlain({ ...upload, key: 'k', size } as never).length;
  expect([sized(GIB), sized(GIB + 1)]).toEqual([1, 0]);
});
