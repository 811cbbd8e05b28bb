import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { Failure } from '../../../server/contract/failure.ts';
import { DAY, MINUTE } from '../../../server/contract/limits.ts';
import type { AdminJobsWire, FileWire } from '../../../server/contract/wire.ts';
import { listFiles, sendFile, signUp, waitForFile } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { ADMIN, withAdmin } from '../../support/fixtures/admin-fixture.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { startServerInProcess } from '../../support/server/in-process-server.ts';

let now = Date.now();
const { server, get, act, logs, owner } = await withAdmin(
  await startServerInProcess({ ADMIN_EMAIL: ADMIN }, { clock: () => now }),
);
afterAll(() => server.stop());
const { bucket, user } = await owner();
const { media, objects, queue, housekeeping } = server.services;
const { run } = media;
beforeEach(() => {
  media.run = run;
});

/** Uploads an image whose processing fails in each attempt with `error`, and moves the clock to its end. */
async function failing(error: Error): Promise<FileWire> {
  let attempts = 0;
  media.run = async () => {
    attempts += 1;
    throw error;
  };
  const { id } = await sendFile(server, bucket, 'image', {}, await photo(), 'a.jpg');
  const stateAfter = (attempt: number) =>
    until(async () => {
      // A state that is read before the attempt begins is the one before it.
      if (attempts < attempt) return false;
      const { state } = await server.db
        .selectFrom('jobs')
        .select('state')
        .where('subject', '=', id)
        .executeTakeFirstOrThrow();
      // The end of an attempt is written after it has failed.
      return state !== 'running' && state;
    });
  for (let attempt = 1; (await stateAfter(attempt)) === 'queued'; attempt += 1) {
    now += 10 * MINUTE;
    queue.poll();
  }
  media.run = run;
  const file = (await listFiles(server, bucket)).data.find((one) => one.id === id);
  if (!file) throw new Error('The file is not listed.');
  return file;
}

const retry = (id: string, authorization: Record<string, string> = user.authorization) =>
  fetch(`${server.url}/files/${bucket.id}/${id}/retry`, { method: 'POST', headers: authorization });
const rowOf = (id: string) =>
  server.db
    .selectFrom('files')
    .innerJoin('media', 'media.file_id', 'files.id')
    .leftJoin('blobs', 'blobs.id', 'files.blob_id')
    .selectAll('files')
    .selectAll('media')
    .select('blobs.prefix as source_prefix')
    .where('files.id', '=', id)
    .executeTakeFirstOrThrow();
const stored = async (prefix: string | null) =>
  prefix === null ? 0 : (await Array.fromAsync(objects.list(prefix))).length;

describe('a file whose processing fails for a reason that may pass', () => {
  test('keeps its upload, and its owner can retry it once the reason is gone', async () => {
    const file = await failing(new Error('a bug of ours'));
    const { id } = file;
    expect(file).toMatchObject({ status: 'error', error: 'Processing failed several times.' });
    expect(Date.parse(file.retry_until ?? '') - now).toBeWithin(7 * DAY - 60 * MINUTE, 7 * DAY + 1);
    const { source_prefix, stored_bytes } = await rowOf(id);
    expect(await stored(source_prefix)).toBe(1);
    expect(stored_bytes).toBe(file.size);
    expect(await findingsOf(server.config)).toEqual([]);

    expect((await retry(id, {})).status).toBe(401);
    expect((await retry(id, (await signUp(server)).authorization)).status).toBe(404);
    const [first, second] = await Promise.all([
      retry(id),
      retry(id, { 'x-api-key': bucket.api_key }),
    ]);
    expect([first.status, second.status].sort()).toEqual([204, 409]);
    expect(await waitForFile(server, bucket, id)).toMatchObject({ status: 'success', error: null });
    expect((await retry(id)).status).toBe(409);
    const entries = await logs(`?subject=${id}`);
    expect(entries.map(({ action }) => action)).toEqual(['file.retried', 'file.failed']);
  });

  test('can be retried by the admin in the list of jobs', async () => {
    const { id } = await failing(new Error('a bug of ours'));
    const { jobs } = await get<AdminJobsWire>('/admin/jobs');
    const job = jobs.find(({ subject }) => subject === id);
    expect(job).toMatchObject({ state: 'failed', retryable: true });
    expect(await act('POST', `/admin/jobs/${job?.id}/retry`)).toEqual([204, '']);
    expect(await waitForFile(server, bucket, id)).toMatchObject({ status: 'success' });
  });

  test('loses its upload after seven days', async () => {
    const { id } = await failing(new Error('a bug of ours'));
    const { source_prefix } = await rowOf(id);
    now += 8 * DAY;
    expect((await retry(id)).status).toBe(409);
    await housekeeping.round();
    await housekeeping.round();
    expect(await rowOf(id)).toMatchObject({
      ...{ status: 'error', retry_until: null, blob_id: null, stored_bytes: 0 },
    });
    expect(await stored(source_prefix)).toBe(0);
    expect((await retry(id)).status).toBe(409);
    expect(await findingsOf(server.config)).toEqual([]);
  });

  test('can be deleted, with its upload', async () => {
    const { id } = await failing(new Error('a bug of ours'));
    const { source_prefix } = await rowOf(id);
    const url = `${server.url}/files/${bucket.id}/${id}`;
    const response = await fetch(url, { method: 'DELETE', headers: user.authorization });
    expect(response.status).toBe(204);
    await housekeeping.round();
    expect(await stored(source_prefix)).toBe(0);
    expect((await retry(id)).status).toBe(404);
  });
});

test('a file that would fail again loses its upload at once, and can not be retried', async () => {
  const file = await failing(new Failure('It is broken.', { retry: 'never' }));
  expect(file).toMatchObject({ status: 'error', error: 'It is broken.', retry_until: null });
  expect(await rowOf(file.id)).toMatchObject({
    blob_id: null,
    source_prefix: null,
    stored_bytes: 0,
  });
  const response = await retry(file.id);
  expect([response.status, await response.text()]).toEqual([409, "This file can't be retried."]);
  const { jobs } = await get<AdminJobsWire>('/admin/jobs');
  expect(jobs.find(({ subject }) => subject === file.id)?.retryable).toBe(false);
});
