import { expect, test } from 'bun:test';
import { sharedBucketInProcess } from '../../../../tests/support/server/in-process-server.ts';
import { DAY } from '../../../contract/limits.ts';
import { newId } from '../../../platform/ids.ts';
import { NO_MEDIA } from '../../media/service.ts';
import { Trash } from './trash.ts';

const { server, bucket } = await sharedBucketInProcess();
const { services, db } = server;
const { files, buckets, database, clock } = services;

async function found() {
  const row = await buckets.byId(bucket.id);
  if (!row) throw new Error('no bucket');
  return row;
}

/** Stores a file of three bytes as an upload does. */
async function put(path: string) {
  const fileId = newId(clock());
  const prefix = `o/${bucket.id}/${fileId}/`;
  const key = `${prefix}a.txt`;
  await db
    .insertInto('pending_deletes')
    .values({ prefix, not_before: clock() + 1e9 })
    .execute();
  await services.objects.put(key, new Blob(['abc']).stream());
  await files.createPlain({
    ...{ fileId, path, prefix, key, bucket: await found(), name: 'a.txt', size: 3 },
    ...{ access: 'public', contentType: 'text/plain', onConflict: 'replace' },
    preconditions: { ifMatch: null, ifNoneMatch: null },
    ...{ actor: 'system', sha256: 'a', md5: 'a', expired: () => new Error('expired') as never },
  });
  return { fileId, key };
}
const keys = async () =>
  (await Array.fromAsync(services.objects.list(''))).map(({ key }) => key).sort();
const sums = async () => {
  const days = await db.selectFrom('usage_days').selectAll().execute();
  const sum = (name: 'stored' | 'kept') => days.reduce((all, day) => all + day[name], 0);
  return { stored: sum('stored'), kept: sum('kept') };
};

test('what is due is purged with its objects, and nothing else', async () => {
  await db.updateTable('buckets').set({ keep_deleted_days: 7, keep_versions: 3 }).execute();
  const [due, later, current] = [await put('due.txt'), await put('later.txt'), await put('c.txt')];
  const version = await put('v.txt');
  const head = await put('v.txt');
  for (const { fileId } of [due, later]) {
    await files.deletion.deleteFile(await found(), fileId, 'system');
  }
  expect(await sums()).toEqual({ stored: 15, kept: 6 });
  await services.housekeeping.round();
  expect(await keys()).toHaveLength(5);
  const past = { purge_at: clock() - 1 };
  await db.updateTable('files').set(past).where('id', '=', due.fileId).execute();
  const restored = files.restores.restoreFile(await found(), due.fileId, {
    onConflict: 'error',
    actor: 'system',
  });
  await expect(restored).rejects.toMatchObject({ status: 404 });
  await services.housekeeping.round();
  await services.housekeeping.round();
  const left = [later, current, version, head].map(({ key }) => key);
  expect(await keys()).toEqual(left.sort());
  expect(await sums()).toEqual({ stored: 12, kept: 6 });
});

test('a file whose purge fails keeps no other from being purged', async () => {
  const paths = Array.from({ length: 24 }, (_, n) => `purged/${n}.txt`);
  const ids: string[] = [];
  for (const path of paths) {
    const { fileId } = await put(path);
    ids.push(fileId);
    await files.deletion.deleteFile(await found(), fileId, 'system');
    // Not due for the chore of this server, which would purge what fails here.
    const later = { purge_at: clock() + DAY + ids.length };
    await db.updateTable('files').set(later).where('id', '=', fileId).execute();
  }
  const left = async () => {
    const rows = await db.selectFrom('files').select('id').where('id', 'in', ids).execute();
    return rows.map(({ id }) => id);
  };
  const release = async (...[tx, file]: Parameters<typeof files.deletion.release>) => {
    if (file.id === ids[0]) throw new Error('broken');
    await files.deletion.release(tx, file);
  };
  const deps = { database, clock: () => clock() + 2 * DAY, buckets };
  const { signal } = new AbortController();
  const failing = new Trash({ ...deps, deletion: { release } });
  await expect(failing.purgeDue(signal)).rejects.toThrow('broken');
  expect(await left()).toEqual(ids.slice(0, 1));
  const later = { ...deps, clock: () => clock() + 3 * DAY };
  await new Trash({ ...later, deletion: files.deletion }).purgeDue(signal);
  expect(await left()).toEqual([]);
});

test('many files whose purge fails keep none behind them from being purged, and are not restored', async () => {
  const { fileId: last } = await put('behind.txt');
  await files.deletion.deleteFile(await found(), last, 'system');
  const own = await db
    .selectFrom('files')
    .selectAll()
    .where('id', '=', last)
    .executeTakeFirstOrThrow();
  const due = clock() + 2 * DAY;
  // More than are listed at once.
  const broken = Array.from({ length: 300 }, (_, n) => `01broken${String(n).padStart(18, '0')}`);
  const rows = broken.map((id) => ({
    ...own,
    id,
    path: `${id}.txt`,
    blob_id: null,
    purge_at: due,
  }));
  await db.insertInto('files').values(rows).execute();
  await db
    .updateTable('files')
    .set({ purge_at: due + 1 })
    .where('id', '=', last)
    .execute();
  const release = async (...[tx, file]: Parameters<typeof files.deletion.release>) => {
    if (broken.includes(file.id)) throw new Error('broken');
    await files.deletion.release(tx, file);
  };
  const deps = { database, clock: () => clock() + 3 * DAY, buckets };
  const purging = new Trash({ ...deps, deletion: { release } }).purgeDue(
    new AbortController().signal,
  );
  await expect(purging).rejects.toThrow('broken');
  const left = await db
    .selectFrom('files')
    .select(['id', 'removal'])
    .where('id', 'in', [...broken, last])
    .execute();
  expect(left).toHaveLength(broken.length);
  expect(new Set(left.map(({ removal }) => removal))).toEqual(new Set(['purged']));
  await db.deleteFrom('files').where('id', 'in', broken).execute();
});

test('versions go to the trash with a file that has failed, and come back from there', async () => {
  await db.updateTable('buckets').set({ keep_deleted_days: 7, keep_versions: 3 }).execute();
  const [first, second] = [await put('failed.txt'), await put('failed.txt')];
  const failed = await put('failed.txt');
  await db
    .insertInto('media')
    .values({ file_id: failed.fileId, ...NO_MEDIA, status: 'error' })
    .execute();
  await files.deletion.deleteFile(await found(), failed.fileId, 'system');
  const rows = () =>
    db
      .selectFrom('files')
      .select(['id', 'removal', 'superseded_at'])
      .where('path', '=', 'failed.txt')
      .orderBy('id')
      .execute();
  expect((await rows()).map(({ id, removal }) => [id, removal])).toEqual([
    [first.fileId, 'replaced'],
    [second.fileId, 'deleted'],
  ]);
  await files.restores.restoreFile(await found(), second.fileId, {
    onConflict: 'error',
    actor: 'system',
  });
  expect((await rows()).map(({ removal }) => removal)).toEqual(['replaced', null]);
});

test('a bucket is deleted with its trash and versions, and both meters end at nothing', async () => {
  const rows = await db.selectFrom('files').select('id').execute();
  let deleted = 0;
  await files.deletion.deleteAllOf(bucket.id, {
    onDeleted: (count) => {
      deleted += count;
    },
  });
  expect(deleted).toBe(rows.length);
  await buckets.deletion.finish(bucket.id, (tx) => files.deletion.releaseObjectsOf(tx, bucket.id));
  expect(await sums()).toEqual({ stored: 0, kept: 0 });
  await services.housekeeping.round();
  expect(await keys()).toEqual([]);
  expect(await database.db.selectFrom('blobs').selectAll().execute()).toEqual([]);
});
