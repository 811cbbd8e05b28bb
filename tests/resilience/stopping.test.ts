import { expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openDatabase } from '../../server/adapters/database.ts';
import { loadConfig } from '../../server/config/config.ts';
import { MIB } from '../../server/contract/limits.ts';
import { createBucket, signUp } from '../support/client/api.ts';
import { slowBody } from '../support/client/slow-body.ts';
import { locationOf, speakTus } from '../support/client/tus.ts';
import { until } from '../support/client/wait.ts';
import { clipOfSize } from '../support/fixtures/make-media.ts';
import { startServerProcess } from '../support/server/server-process.ts';
import { engineSettings } from '../support/server/test-engine.ts';

test('a mail server that takes the connection and is silent does not hold up the end', async () => {
  let requestCount = 0;
  const silent = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open() {
        requestCount += 1;
      },
      data() {},
    },
  });
  const server = await startServerProcess({
    isQuick: true,
    env: { SMTP_URL: `smtp://127.0.0.1:${silent.port}` },
  });
  const body = { email: 'ada@example.com', password: 'a harbour at work' };
  await fetch(`${server.url}/users/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await until(async () => requestCount > 0);
  await server.restart('SIGTERM');
  expect(await server.log()).not.toContain('stopped before all work was finished');
  await server.stop();
  silent.stop(true);
});

test('a storage that is silent while objects are deleted does not hold up the end', async () => {
  let deletes = 0;
  const listing =
    '<ListBucketResult><Contents><Key>f/gone/a</Key><Size>1</Size></Contents></ListBucketResult>';
  const silent = Bun.serve({
    port: 0,
    idleTimeout: 0,
    fetch(request) {
      const { searchParams } = new URL(request.url);
      if (searchParams.has('delete')) {
        deletes += 1;
        return new Promise<Response>(() => {});
      }
      if (searchParams.has('uploads'))
        return new Response('<Result><UploadId>1</UploadId></Result>');
      return new Response(request.method === 'GET' ? listing : null);
    },
  });
  const STORAGE_URL = `s3://key:secret@files?endpoint=${silent.url.origin}`;
  const server = await startServerProcess({ isQuick: true, env: { STORAGE_URL } });
  await server.restart('SIGTERM', async () => {
    const { dataDir: DATA_DIR } = server;
    const database = await openDatabase(
      loadConfig({ DATA_DIR, ...(await engineSettings(DATA_DIR)) }),
    );
    await sql`insert into pending_deletes (prefix, not_before) values ('f/gone/', 1)`.execute(
      database.db,
    );
    await database.close();
  });
  await until(async () => deletes > 0);
  await server.restart('SIGTERM');
  expect(await server.log()).not.toContain('stopped before all work was finished');
  await server.stop();
  silent.stop(true);
});

test('what has arrived of a slow tus upload is stored at a stop, and the upload continues', async () => {
  const server = await startServerProcess({ isQuick: true });
  const bucket = await createBucket(server, (await signUp(server)).token);
  const { create, offsetOf, key } = speakTus(server, bucket);
  const bytes = await clipOfSize(MIB);
  const url = locationOf(await create(bytes.length));
  const { body, send } = slowBody(bytes.subarray(0, 300_000));
  const sent = fetch(url, {
    method: 'PATCH',
    headers: {
      ...key,
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    },
    body,
  });
  send(bytes.subarray(300_000, 461_000));
  // What is written to the disk has passed through the server.
  const written = async () => {
    const sizes: number[] = [];
    for (const folder of ['storage/tmp', 'spool'].map((name) => join(server.dataDir, name))) {
      const names = await readdir(folder).catch(() => []);
      const found = names.map((name) => statSync(join(folder, name), { throwIfNoEntry: false }));
      sizes.push(...found.map((one) => one?.size ?? 0));
    }
    return Math.max(0, ...sizes);
  };
  await until(async () => (await written()) === 461_000);
  await server.restart('SIGTERM');
  const { status, headers } = await sent;
  expect([status, headers.get('x-error-code')]).toEqual([503, 'unavailable']);
  expect(headers.has('retry-after')).toBe(true);
  expect(await offsetOf(url)).toBe(461_000);
  expect(await server.log()).not.toContain('stopped before all work was finished');
  await server.stop();
});
