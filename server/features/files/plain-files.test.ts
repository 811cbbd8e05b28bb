import { expect, test } from 'bun:test';
import { sharedBucketInProcess } from '../../../tests/support/server/in-process-server.ts';
import { newId } from '../../platform/ids.ts';

const { server, bucket } = await sharedBucketInProcess();
const { services, db } = server;

async function bucketNow() {
  const row = await services.buckets.byId(bucket.id);
  if (!row) throw new Error('no bucket');
  return row;
}

/** Creates a plain file of three bytes as an upload to a bucket does, which was read at its begin. */
async function create(path: string, admitted: Awaited<ReturnType<typeof bucketNow>>) {
  const fileId = newId(Date.now());
  const prefix = `o/${bucket.id}/${fileId}/`;
  const notBefore = Date.now() + 1e9;
  await db.insertInto('pending_deletes').values({ prefix, not_before: notBefore }).execute();
  return services.files.createPlain({
    ...{ fileId, path, prefix, key: `${prefix}a.txt`, bucket: admitted, name: 'a.txt', size: 3 },
    ...{ access: 'public', contentType: 'text/plain', onConflict: 'rename' },
    preconditions: { ifMatch: null, ifNoneMatch: null },
    ...{ actor: 'system', sha256: 'a', md5: 'b', expired: () => new Error('expired') as never },
  });
}

const toldOf = async () => {
  const rows = await db.selectFrom('webhook_deliveries').select('body').orderBy('id').execute();
  return rows.map(({ body }) => JSON.parse(body).data.file.path);
};

test('a file says the path that it got, and reads the same afterwards', async () => {
  const admitted = await bucketNow();
  const files = [await create('a.txt', admitted), await create('a.txt', admitted)];
  expect(files.map(({ path }) => path)).toEqual(['a.txt', 'a (2).txt']);
  for (const file of files) expect(await services.files.find(file.id)).toEqual(file);
  expect(await toldOf()).toEqual([]);
});

test('a webhook that is turned on during an upload hears of its file once, with the path that it got', async () => {
  const before = await bucketNow();
  const uploads = async () => (await bucketNow()).usage;
  const stored = await uploads();
  await db.updateTable('buckets').set({ webhook: 'https://example.com/hook' }).execute();
  const file = await create('a.txt', before);
  expect(file.path).toBe('a (3).txt');
  expect(await toldOf()).toEqual(['a (3).txt']);
  expect((await uploads()) - stored).toBe(3);

  await create('b.txt', await bucketNow());
  expect(await toldOf()).toEqual(['a (3).txt', 'b.txt']);
  await db.updateTable('buckets').set({ webhook_disabled_at: 1 }).execute();
  await create('c.txt', await bucketNow());
  expect(await toldOf()).toEqual(['a (3).txt', 'b.txt']);
});

test('a webhook that is turned on during an upload is not taken for a bucket that is full', async () => {
  const limits = { storage_limit: 1_000_000, webhook_disabled_at: null };
  await db
    .updateTable('buckets')
    .set({ ...limits, webhook: '' })
    .execute();
  const before = await bucketNow();
  await db.updateTable('buckets').set({ webhook: 'https://example.com/hook' }).execute();
  const file = await create('limited.txt', before);
  expect((await toldOf()).at(-1)).toBe(file.path);

  await db.updateTable('buckets').set({ storage_limit: 1 }).execute();
  await expect(create('full.txt', before)).rejects.toMatchObject({ code: 'bucket-full' });
  expect((await toldOf()).at(-1)).toBe(file.path);
});
