import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openPostgres } from '../../../server/platform/db/postgres.ts';
import { openSqlite } from '../../../server/platform/db/sqlite/open.ts';
import {
  createBucket,
  form,
  listFiles,
  PASSWORD,
  signUp,
  type TestUser,
  uploadFile,
  waitForFile,
} from '../../support/client/api.ts';
import { locationOf } from '../../support/client/tus.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { fsck, runCommand } from '../../support/server/command.ts';
import { freshDatabase } from '../../support/server/engines.ts';
import { startServer } from '../../support/server/server.ts';
import { startPostgres } from '../../support/services/postgres.ts';

const postgres = await startPostgres();
const dataDir = await mkdtemp(join(tmpdir(), 'wharf-migrate-'));
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const transfer = (url: string, secret: string) =>
  runCommand(['migrate-database'], { DATA_DIR: dataDir, DATABASE_URL: url, APP_SECRET: secret });

async function createKey({ url }: { url: string }, user: TestUser, bucket: { id: string }) {
  const response = await fetch(`${url}/buckets/api-keys/${bucket.id}`, {
    method: 'POST',
    headers: { ...user.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Deploy', scope: 'read-write' }),
  });
  return ((await response.json()) as { api_key: string }).api_key;
}

/** Uploads a file that is not processed, and a part of another. */
async function addUnprocessed(server: { url: string }, bucket: { id: string; api_key: string }) {
  const headers = { 'x-api-key': bucket.api_key };
  await uploadFile(server, bucket, 'file', { access: 'public' }, new Blob(['text']), 'plain.txt');
  const bytes = await photo();
  const tus = { ...headers, 'tus-resumable': '1.0.0' };
  const created = await fetch(`${server.url}/files/tus/${bucket.id}`, {
    method: 'POST',
    headers: { ...tus, 'upload-length': String(bytes.length) },
  });
  const part = await fetch(locationOf(created, server.url), {
    method: 'PATCH',
    headers: { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: bytes.subarray(0, bytes.length - 1) as never,
  });
  expect([created.status, part.status]).toEqual([201, 204]);
}

test.skipIf(!postgres)('a server goes on in PostgreSQL where it was in SQLite', async () => {
  const first = await startServer({ DATABASE_URL: '', APP_SECRET: '' }, { dataDir });
  const user = await signUp(first);
  const bucket = await createBucket(first, user.token, 'Bilder für später 🏖');
  const response = await fetch(`${first.url}/files/upload/image/${bucket.id}`, {
    method: 'POST',
    headers: { 'x-api-key': bucket.api_key },
    body: form({ access: 'public' }, new Blob([(await photo()) as never]), 'ä.jpg'),
  });
  const file = await waitForFile(first, bucket, ((await response.json()) as { id: string }).id);
  const named = await createKey(first, user, bucket);
  await addUnprocessed(first, { id: bucket.id, api_key: named });
  const balance = await (
    await user.client.fetch('/users/balance', { headers: user.authorization })
  ).json();
  const { appSecret } = first.config;
  const url = await freshDatabase(postgres?.url ?? '');
  expect(await transfer(url, appSecret)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('Stop it first'),
  });
  await first.stop();
  const database = openSqlite(join(dataDir, 'wharf.db'));
  for (let row = 0; row < 1234; row += 1) {
    await database.db
      .insertInto('pending_deletes')
      .values({ prefix: `f/x/${row}/`, not_before: 9e15 + row })
      .execute();
  }
  await database.close();

  const wrong = await transfer(url, 's'.repeat(32));
  expect([wrong.status, wrong.stderr.includes('APP_SECRET differs from')]).toEqual([1, true]);
  const done = await transfer(url, appSecret);
  expect([done.status, done.stderr]).toEqual([
    0,
    expect.stringContaining('count and checksum of every table match'),
  ]);
  expect(done.stdout).toMatch(/^pending_deletes +\d{4} rows {2}[0-9a-f]{32}$/m);
  expect(done.stdout).toMatch(/^ledger_entries +1 rows/m);
  expect(await transfer(url, appSecret)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('is not empty'),
  });

  const env = { DATABASE_URL: url, APP_SECRET: appSecret };
  const second = await startServer(env, { dataDir });
  try {
    const there = (path: string) => fetch(`${second.url}${path}`, { headers: user.authorization });
    expect(await (await there(`/buckets/${bucket.id}`)).json()).toMatchObject({
      name: 'Bilder für später 🏖',
      api_key: bucket.api_key,
    });
    expect(await (await there('/users/balance')).json()).toEqual(balance);
    const listed = await listFiles(second, { id: bucket.id, api_key: named });
    const plain = listed.data.find(({ file_type }) => file_type === 'file');
    expect(await (await fetch(plain?.url ?? '')).text()).toBe('text');
    const newUrl = (file.url ?? '').replace(first.url, second.url);
    expect((await fetch(newUrl)).status).toBe(200);
    const login = `/users/send/email/no/auth/${encodeURIComponent(user.email)}/login`;
    const loginPage = await fetch(`${second.url}${login}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password: PASSWORD }),
    });
    expect(loginPage.status).toBeLessThan(300);
    for (const change of ['update ledger_entries set amount = 5', 'delete from ledger_entries']) {
      await expect(sql.raw(change).execute(second.db)).rejects.toThrow('append-only');
    }
    expect(await fsck(dataDir, ['--json'], env)).toMatchObject({ status: 0, findings: [] });
  } finally {
    await second.stop();
  }
});

test.skipIf(!postgres)(
  'what can not be copied whole leaves PostgreSQL as empty as it was',
  async () => {
    const source = openSqlite(join(dataDir, 'wharf.db'));
    await source.db
      .insertInto('pending_deletes')
      .values({ prefix: 'a\u0000b', not_before: 1 })
      .execute();
    await source.close();
    const secret = (await Bun.file(join(dataDir, 'secret')).text()).trim();
    const url = await freshDatabase(postgres?.url ?? '');
    expect((await transfer(url, secret)).status).toBe(1);
    const target = openPostgres(url);
    const tables = await target.db.introspection.getTables({ withInternalKyselyTables: true });
    expect(tables).toEqual([]);
    await target.close();
  },
);
