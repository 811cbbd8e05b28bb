import { expect, test } from 'bun:test';
import { sharedBucketInProcess } from '../../../tests/support/server/in-process-server.ts';
import { runStatements } from '../../platform/db/batch.ts';
import { expediteDeletes } from '../../platform/storage/pending-deletes-store.ts';
import { UNREAD } from './blobs-store.ts';
import { FILE_EVENTS } from './file-wire.ts';
import { fileInsertions } from './store.ts';
import type { MediaFileRow } from './tables.ts';

const { server, bucket } = await sharedBucketInProcess();
const { services, db } = server;
const { deletion } = services.files;
/** More than the first slice takes. */
const FILES = 300;

const idOf = (n: number) => `01deleted${String(n).padStart(17, '0')}`;
const row = (n: number): MediaFileRow => ({
  id: idOf(n),
  bucket_id: bucket.id,
  name: 'a.jpg',
  path: `${n}.jpg`,
  content_type: 'image/jpeg',
  size: 1,
  file_type: 'image',
  access: 'public',
  status: 'success',
  error: null,
  prefix: `f/${bucket.id}/${idOf(n)}/1/`,
  blob_id: null,
  entry: 'a.jpg',
  width: null,
  height: null,
  duration: null,
  playable: 1,
  thumb_hash: null,
  poster: null,
  previews: null,
  webp_skipped: 0,
  is_turned: 0,
  warning: null,
  renditions: null,
  retry_until: null,
  sha256: null,
  stored_bytes: 1,
  superseded_at: null,
  expires_at: null,
  metadata: null,
  headers: null,
  tags: null,
  version_id: null,
  created_at: 1,
});

const put = (key: string) => services.objects.put(key, new Blob(['x']).stream());
const keys = async () =>
  (await Array.fromAsync(services.objects.list(''))).map(({ key }) => key).sort();
const filesLeft = async () =>
  (await db.selectFrom('files').select('id').where('bucket_id', '=', bucket.id).execute()).length;

test('the objects of a bucket stay until all of its rows are gone, also over an interruption', async () => {
  await services.database.transaction(async (tx) => {
    const files = Array.from({ length: FILES }, (_, n) => fileInsertions(tx, row(n)));
    await runStatements(tx, files.flat());
    // A video whose parts are not yet processed is stored beside its bucket.
    const change = { status: 'processing', prefix: null } as const;
    await tx.updateTable('media').set(change).where('file_id', '=', idOf(0)).execute();
    const blob = { id: idOf(0), bucket_id: bucket.id, prefix: 'u/parts/', object_key: null };
    await tx
      .insertInto('blobs')
      .values({
        ...blob,
        size: 1,
        refs: 1,
        md5: null,
        etag: null,
        checksum: null,
        parts: null,
        created_at: 1,
      })
      .execute();
    await tx
      .updateTable('files')
      .set({ blob_id: idOf(0) })
      .where('id', '=', idOf(0))
      .execute();
    const counted = { total_uploads: FILES, usage: FILES };
    await tx.updateTable('buckets').set(counted).where('id', '=', bucket.id).execute();
  });
  const stored = [`f/${bucket.id}/${idOf(1)}/1/a.jpg`, `o/${bucket.id}/${idOf(2)}/a.jpg`];
  for (const key of [...stored, 'u/parts/0']) await put(key);

  const aborter = new AbortController();
  const interrupted = deletion.deleteAllOf(bucket.id, {
    signal: aborter.signal,
    onDeleted: () => aborter.abort(new Error('stopped')),
  });
  await expect(interrupted).rejects.toThrow('stopped');
  const left = await filesLeft();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(FILES);
  expect(await services.buckets.contents.countFiles(bucket.id)).toBe(left);
  // A server that starts makes the deletes of dead processes due, but not these.
  await expediteDeletes(db, ['f/', 'o/'], Date.now());
  await services.housekeeping.round();
  expect(await keys()).toEqual(stored);

  let deleted = 0;
  await deletion.deleteAllOf(bucket.id, {
    onDeleted: (files) => {
      deleted += files;
    },
  });
  expect(deleted).toBe(left);
  expect(await filesLeft()).toBe(0);
  await services.housekeeping.round();
  expect(await keys()).toEqual(stored);
  await services.database.transaction((tx) => deletion.releaseObjectsOf(tx, bucket.id));
  await services.housekeeping.round();
  expect(await keys()).toEqual([]);
  const rest = db.selectFrom('pending_deletes').select('prefix').where('deleted_at', 'is', null);
  expect(await rest.execute()).toEqual([]);
  expect(await db.selectFrom('blobs').selectAll().execute()).toEqual([]);
});

test('the bytes that two files share go with the last of them', async () => {
  const found = await services.buckets.byId(bucket.id);
  if (!found) throw new Error('no bucket');
  const [one, other] = [FILES + 1, FILES + 2];
  const prefix = `o/${bucket.id}/shared/`;
  const hashes = { md5: null, etag: null, checksum: null, parts: null };
  const blob = { id: 'shared', bucket_id: bucket.id, prefix, object_key: `${prefix}original` };
  await services.database.batch([
    ...fileInsertions(
      db,
      { ...row(one), blob_id: 'shared' },
      { blob: { ...blob, ...hashes, size: 1, refs: 2, ...UNREAD, created_at: 1 } },
    ),
    ...fileInsertions(db, { ...row(other), blob_id: 'shared' }),
  ]);
  await put(blob.object_key);
  await deletion.deleteFile(found, idOf(one), 'system');
  await services.housekeeping.round();
  expect(await keys()).toEqual([blob.object_key]);
  await deletion.deleteFile(found, idOf(other), 'system');
  await services.housekeeping.round();
  expect(await keys()).toEqual([]);
  expect(await db.selectFrom('blobs').selectAll().execute()).toEqual([]);
});

test('the event of a deletion goes with the commit, as its answer can be lost', async () => {
  const { database, events } = services;
  await database.batch(fileInsertions(db, row(FILES)));
  await db.updateTable('buckets').set({ total_uploads: 1, usage: 1 }).execute();
  const found = await services.buckets.byId(bucket.id);
  if (!found) throw new Error('no bucket');
  const published: unknown[] = [];
  const { publishIn } = events;
  events.publishIn = async (tx, topic, payload) => {
    published.push([tx.isTransaction, topic, payload]);
    return publishIn.call(events, tx, topic, payload);
  };
  const { transaction } = database;
  database.transaction = async (work) => {
    await transaction(work);
    throw new Error('the connection broke');
  };
  const deleting = deletion.deleteFile(found, idOf(FILES), 'system');
  await expect(deleting).rejects.toThrow('the connection broke');
  Object.assign(database, { transaction });
  Object.assign(events, { publishIn });
  expect(published).toMatchObject([[true, FILE_EVENTS, { event: { type: 'file.deleted' } }]]);
});
