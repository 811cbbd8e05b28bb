import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uploadFile } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { runCommand } from '../../support/server/command.ts';
import { sharedBucket } from '../../support/server/server.ts';
import { engineSettings } from '../../support/server/test-engine.ts';

const { server, bucket } = await sharedBucket();
const elsewhere = await mkdtemp(join(tmpdir(), 'wharf-elsewhere-'));
afterAll(() => rm(elsewhere, { recursive: true }));
await uploadFile(server, bucket, 'image', { access: 'public' }, await photo(), 'a.jpg');

const health = async () =>
  (await (await fetch(`${server.url}/health`)).json()) as { status: string };
const doctor = async (env: Record<string, string> = {}) => {
  const settings = { DATA_DIR: server.dataDir, ...(await engineSettings(server.dataDir)) };
  const done = await runCommand(['doctor'], { ...settings, APP_URL: server.url, ...env });
  return done.stdout;
};

test('a process whose storage is not that of its rows says so at /health and by doctor, until it is', async () => {
  expect(await health()).toMatchObject({ status: 'ok' });
  expect(await doctor()).not.toContain('PROBLEM  storage');
  const objects = join(server.dataDir, 'storage/objects');
  await rename(objects, join(elsewhere, 'objects'));
  // The result of a check is reused for a second.
  await until(async () => (await health()).status !== 'ok');
  expect(await health()).toMatchObject({ status: 'failing', checks: { storage: 'failing' } });
  expect(await doctor()).toContain('PROBLEM  storage    none of the newest files');
  await rename(join(elsewhere, 'objects'), objects);
  await until(async () => (await health()).status === 'ok');
});

test('a secret that is not the one of the rows is told by doctor', async () => {
  expect(await doctor()).not.toContain('PROBLEM  secret');
  expect(await doctor({ APP_SECRET: 'another secret than all the others' })).toContain(
    'PROBLEM  secret',
  );
});

test('a file of a bucket that is banned is not what doctor asks a part of', async () => {
  const { db } = server;
  expect(await doctor()).toContain('answers range requests');
  const set = (banned_at: number | null) =>
    db.updateTable('buckets').set({ banned_at }).where('id', '=', bucket.id).execute();
  await set(Date.now());
  expect(await doctor()).toContain('skipped: there is no public image yet');
  await set(null);
});
