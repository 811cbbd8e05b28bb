import { expect, test } from 'bun:test';
import { sharedBucketInProcess } from '../../../tests/support/server/in-process-server.ts';
import { gone } from '../../errors.ts';
import { newId } from '../../platform/ids.ts';
import { startDeletes } from '../../platform/storage/due-deletes-store.ts';
import { scheduleDelete } from '../../platform/storage/pending-deletes-store.ts';

const { server, bucket } = await sharedBucketInProcess();
const { services, db } = server;
const preconditions = { ifMatch: null, ifNoneMatch: null };

/**
 * Completes an upload whose objects are to be deleted unless it becomes a file, and says what it
 * wrote.
 */
async function complete(fileId: string, { isDeleting }: { isDeleting: boolean }) {
  const prefix = `u/${bucket.id}/${fileId}/`;
  const now = Date.now();
  const uploadsBefore = await uploads();
  await scheduleDelete(db, prefix, now);
  if (isDeleting) expect(await startDeletes(db, [prefix], now)).toHaveLength(1);
  const { user_id } = await db
    .selectFrom('buckets')
    .select('user_id')
    .where('id', '=', bucket.id)
    .executeTakeFirstOrThrow();
  const upload = {
    fileId,
    bucket: { id: bucket.id, user_id, keep_originals: 0, keep_versions: 0, was_versioned: 0 },
    ...{ name: 'a.jpg', path: 'a.jpg', onConflict: 'rename' as const },
    ...{ preconditions, actor: 'system' as const },
    size: 5,
    access: 'public',
    prefix,
    content: { type: 'image', key: `${prefix}a.jpg`, webp: false, isOptimized: true },
    expired: () => gone('Too late.'),
  } as const;
  const outcome = await services.files.fromUpload(upload).then(
    () => 'file',
    ({ code }) => code,
  );
  const rows = await db.selectFrom('files').select('id').where('id', '=', fileId).execute();
  const jobs = await db.selectFrom('jobs').select('id').where('subject', '=', fileId).execute();
  const deletes = await db
    .selectFrom('pending_deletes')
    .select('prefix')
    .where('prefix', '=', prefix)
    .execute();
  return {
    outcome,
    rows: rows.length,
    jobs: jobs.length,
    deletes: deletes.length,
    results: (await resultsOf(fileId)).length,
    uploads: (await uploads()) - uploadsBefore,
  };
}

/** The scheduled deletes of what processing makes of a file. */
const resultsOf = (fileId: string) =>
  db
    .selectFrom('pending_deletes')
    .select('prefix')
    .where('prefix', 'like', `f/${bucket.id}/${fileId}/%`)
    .execute();

const uploads = async () =>
  (await db.selectFrom('buckets').selectAll().where('id', '=', bucket.id).executeTakeFirstOrThrow())
    .total_uploads;

test('an upload becomes a file with a job, its bucket counts it, and its objects stay', async () => {
  const result = await complete(newId(Date.now()), { isDeleting: false });
  expect(result).toEqual({ outcome: 'file', rows: 1, jobs: 1, deletes: 0, results: 1, uploads: 1 });
});

test('an upload whose objects are being deleted becomes no file, and nothing is written of it', async () => {
  const result = await complete(newId(Date.now()), { isDeleting: true });
  expect(result).toEqual({ outcome: 'gone', rows: 0, jobs: 0, deletes: 1, results: 0, uploads: 0 });
});

test('each of many uploads of one name at the same time gets a path of its own', async () => {
  const { user_id } = await db
    .selectFrom('buckets')
    .select('user_id')
    .where('id', '=', bucket.id)
    .executeTakeFirstOrThrow();
  const ids = Array.from({ length: 40 }, () => newId(Date.now()));
  const batches = ids.map(async (fileId) => {
    const prefix = `u/${bucket.id}/${fileId}/`;
    await scheduleDelete(db, prefix, Date.now());
    return services.files.fromUpload({
      ...{
        fileId,
        bucket: {
          id: bucket.id,
          user_id,
          keep_originals: 0 as const,
          keep_versions: 0,
          was_versioned: 0 as const,
        },
        size: 5,
        prefix,
        preconditions,
      },
      ...{ name: 'harbour.jpg', path: 'harbour.jpg', onConflict: 'rename', actor: 'system' },
      ...{
        access: 'public',
        content: { type: 'image', key: `${prefix}harbour.jpg`, webp: false, isOptimized: true },
      },
      expired: () => gone('Too late.'),
    });
  });
  const answers = await Promise.all(batches);
  const rows = await db
    .selectFrom('files')
    .select(['path', 'content_type'])
    .where('id', 'in', ids)
    .execute();
  expect(answers.map(({ path }) => path).sort()).toEqual(rows.map(({ path }) => path).sort());
  const numbers = ids.map((_, n) => (n === 0 ? 'harbour.jpg' : `harbour (${n + 1}).jpg`));
  expect(rows.map(({ path }) => path).sort()).toEqual(numbers.sort());
  expect(new Set(rows.map((row) => row.content_type))).toEqual(new Set(['image/jpeg']));
});
