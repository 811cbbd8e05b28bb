import { afterAll, expect, test } from 'bun:test';
import { remoteBuckets } from '../../../server/adapters/remote-bucket.ts';
import type { CreatedApiKeyWire } from '../../../server/contract/wire.ts';
import { ImportRun, type ImportRunDeps } from '../../../server/features/imports/import-run.ts';
import { createBucket, signUp } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedServerInProcess } from '../../support/server/in-process-server.ts';
import { startFileSource } from '../../support/services/file-source.ts';

/* An object of a distant server can take hours, within which whoever has started its import may lose the right to. */

const server = await sharedServerInProcess({ WEBHOOK_ALLOW_PRIVATE: 'yes' });
const { services, db } = server;
const source = await startFileSource();
afterAll(() => source.stop());
const RENEWAL_INTERVAL_MS = 20;

const LIST =
  '<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a</Key><Size>9</Size><ETag>"e"</ETag></Contents></ListBucketResult>';

/** Starts an import by a key, in which the first object never comes to its end. */
async function openImport(name: string) {
  const user = await signUp(server);
  const bucket = await createBucket(server, user.token);
  const send = (path: string, method: string, headers: Record<string, string>, body?: unknown) =>
    fetch(server.url + path, {
      ...{ method, headers: { ...headers, 'content-type': 'application/json' } },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const created = await send(`/buckets/api-keys/${bucket.id}`, 'POST', user.authorization, {
    ...{ name: 'CI', scope: 'read-write' },
  });
  const key = (await created.json()) as CreatedApiKeyWire;
  source.serve(`/${name}/`, LIST);
  const { requests } = source.serveSlowly(`/${name}/a`, Buffer.from('start'));
  const start = async (apiKey: string) => {
    const keys = { access_key_id: 'key', secret_access_key: 'secret' };
    const body = { endpoint: source.url, bucket: name, ...keys };
    const headers = { 'x-api-key': apiKey };
    const response = await send(`/files/s3-imports/${bucket.id}`, 'POST', headers, body);
    expect(response.status).toBe(202);
    return ((await response.json()) as { id: string }).id;
  };
  return { user, bucket, key, requests, send, start };
}

/** Goes on with an import as another process would, which looks at the key more often. */
async function takeOver(id: string, name: string) {
  const lease = { lease: 'other', leased_until: Date.now() + 600_000 };
  const job = await db
    .updateTable('s3_imports')
    .set(lease)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const settings = { endpoint: source.url, region: 'us-east-1', bucket: name };
  const keys = { accessKeyId: 'key', secretAccessKey: 'secret' };
  const remote = await remoteBuckets(server.config)({ ...settings, ...keys });
  const deps = { ...server.config, ...services } as unknown as ImportRunDeps;
  return new ImportRun(deps, job, remote, RENEWAL_INTERVAL_MS);
}

type Opened = Awaited<ReturnType<typeof openImport>>;
const CLOSED = 'The bucket is suspended, banned or being deleted.';
const REVOKED = 'The API key that started the import was deleted or replaced.';
const WAYS: [string, string, (opened: Opened) => Promise<unknown>, 'named' | 'primary'][] = [
  [
    'its key is deleted',
    REVOKED,
    ({ bucket, key, user, send }) =>
      send(`/buckets/api-keys/${bucket.id}/${key.id}`, 'DELETE', user.authorization),
    'named',
  ],
  [
    'its key is replaced',
    REVOKED,
    ({ bucket, user, send }) =>
      send(`/buckets/roll/api-key/${bucket.id}`, 'PUT', user.authorization),
    'primary',
  ],
  [
    'its account is banned',
    CLOSED,
    ({ user }) =>
      db.updateTable('users').set({ status: 'banned' }).where('id', '=', user.userId).execute(),
    'named',
  ],
  [
    'its bucket is being deleted',
    CLOSED,
    ({ bucket }) =>
      db.updateTable('buckets').set({ status: 'deleting' }).where('id', '=', bucket.id).execute(),
    'named',
  ],
];

test.each(WAYS)(
  'an import ends within an object when %s, and stores nothing of it',
  async (way, reason, revoke, startedBy) => {
    const name = way.replaceAll(' ', '-');
    const opened = await openImport(name);
    const { bucket, key, requests, start } = opened;
    const id = await start(startedBy === 'named' ? key.api_key : bucket.api_key);
    await until(async () => requests.length === 1);
    const run = await takeOver(id, name);
    const ended = run.run(new AbortController().signal).catch((error) => error);
    await until(async () => requests.length === 2);
    await revoke(opened);
    expect(String(await ended)).toContain(reason);
    await requests[1];
    const files = db.selectFrom('files').select('id').where('bucket_id', '=', bucket.id);
    expect(await files.execute()).toEqual([]);
    await services.imports.end(bucket.id, id);
    await services.imports.settle();
    expect(await findingsOf(server.config)).toEqual([]);
  },
  600_000,
);

test('an import goes on when another key of its bucket is deleted', async () => {
  const opened = await openImport('other-key');
  const { bucket, key, user, requests, start, send } = opened;
  source.serve('/other-key/a', 'whole');
  const id = await start(bucket.api_key);
  await send(`/buckets/api-keys/${bucket.id}/${key.id}`, 'DELETE', user.authorization);
  await services.imports.settle();
  const row = await db
    .selectFrom('s3_imports')
    .select(['status', 'copied', 'error'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(row).toEqual({ status: 'completed', copied: 1, error: null });
  expect(requests).toEqual([]);
  expect(await findingsOf(server.config)).toEqual([]);
});
