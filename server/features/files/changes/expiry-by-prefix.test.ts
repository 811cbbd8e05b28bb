import { beforeEach, expect, test } from 'bun:test';
import { createBucket, signUp } from '../../../../tests/support/client/api.ts';
import { sharedServerInProcess } from '../../../../tests/support/server/in-process-server.ts';
import type { ExpiryRule } from '../../../contract/files/expiry-rules.ts';
import { DAY, HOUR } from '../../../contract/limits.ts';
import { newId } from '../../../platform/ids.ts';
import { Expiry } from './expiry.ts';
import { ExpiryByPrefix } from './expiry-by-prefix.ts';

let now = Date.parse('2026-03-10T00:00:00.000Z');
const server = await sharedServerInProcess({}, { clock: () => now });
const { services, db } = server;
const { files, buckets, database } = services;
// The chores of this server would delete something in between.
await services.housekeeping.stop();
const user = await signUp(server);
const signal = new AbortController().signal;
const deps = { database, clock: () => now, buckets, deletion: files.deletion };

beforeEach(async () => {
  // The buckets of earlier tests have no turn.
  await db.updateTable('buckets').set({ expiry_due_at: null }).execute();
});

async function openBucket(rules: ExpiryRule[]) {
  const { id } = await createBucket(server, user.token);
  const found = async () => {
    const row = await buckets.byId(id);
    if (!row) throw new Error('no bucket');
    return row;
  };
  const { user_id } = await found();
  const setRules = (expiry_rules: ExpiryRule[]) =>
    buckets.settings.setRetention(user_id, id, { expiry_rules });
  await setRules(rules);
  return {
    id,
    userId: user_id,
    found,
    setRules,
    /** Stores a file as an upload does, now or some days ago. */
    async put(path: string, days = 0): Promise<string> {
      const fileId = newId(now);
      const prefix = `o/${id}/${fileId}/`;
      const key = `${prefix}a.txt`;
      const not_before = now + 1e12;
      await db.insertInto('pending_deletes').values({ prefix, not_before }).execute();
      await services.objects.put(key, new Blob(['abc']).stream());
      await files.createPlain({
        ...{ fileId, path, prefix, key, bucket: await found(), name: 'a.txt', size: 3 },
        ...{ access: 'public', fileType: 'file', contentType: 'text/plain' },
        onConflict: 'replace',
        preconditions: { ifMatch: null, ifNoneMatch: null },
        ...{ actor: 'system', sha256: 'a', md5: 'a', expired: () => new Error('expired') as never },
      });
      const created_at = now - days * DAY;
      await db.updateTable('files').set({ created_at }).where('id', '=', fileId).execute();
      return fileId;
    },
    /** Inserts rows of files without bytes, which is faster. */
    async putMany(paths: string[], days: number) {
      const like = await this.put('z/like', days);
      const row = await db
        .selectFrom('files')
        .selectAll()
        .where('id', '=', like)
        .executeTakeFirstOrThrow();
      const rows = paths.map((path) => ({ ...row, id: newId(now), path, blob_id: null }));
      await db.insertInto('files').values(rows).execute();
      await db.deleteFrom('files').where('id', '=', like).execute();
    },
    async paths(): Promise<string[]> {
      const rows = await db
        .selectFrom('files')
        .select('path')
        .where('bucket_id', '=', id)
        .where('superseded_at', 'is', null)
        .orderBy('path')
        .execute();
      return rows.map(({ path }) => path);
    },
  };
}

test('what is old enough below a prefix is deleted, and nothing else', async () => {
  const bucket = await openBucket([
    { prefix: 'logs/', days: 2 },
    { prefix: 'logs/kept/', days: 30 },
    { prefix: 'tmp', days: 10 },
    { prefix: 'ü/', days: 1 },
  ]);
  const other = await openBucket([{ prefix: 'else/', days: 1 }]);
  const expired = ['logs/a.txt', 'logs/deep/b.txt', 'logs/kept/c.txt', 'tmpfile', 'ü/d.txt'];
  for (const path of expired) await bucket.put(path, 10);
  await bucket.put('logs/exactly.txt', 2);
  const kept = ['Logs/a.txt', 'log/a.txt', 'logs', 'logs.txt', 'my/logs/a.txt', 'u/d.txt', 'zz'];
  for (const path of kept) await bucket.put(path, 1000);
  await bucket.put('logs/young.txt', 1.9);
  await bucket.put('tmp/young.txt', 9);
  await bucket.put('logs/replaced.txt', 10);
  await bucket.put('logs/replaced.txt', 0);
  await other.put('logs/a.txt', 1000);
  await files.emptyFolders.create(await bucket.found(), 'logs/empty/', 'system');
  await db.updateTable('files').set({ created_at: 1 }).where('path', '=', 'logs/empty/').execute();
  await files.expiryByPrefix.runDue(signal);
  const left = [...kept, 'logs/empty/', 'logs/young.txt', 'tmp/young.txt', 'logs/replaced.txt'];
  expect(new Set(await bucket.paths())).toEqual(new Set(left));
  expect(await other.paths()).toEqual(['logs/a.txt']);
  const { total_uploads } = await buckets.get(bucket.userId, bucket.id);
  expect(total_uploads).toBe(left.length - 1);
});

test('a walk that has ended begins again hours later, and at once with other rules', async () => {
  const bucket = await openBucket([{ prefix: '', days: 1 }]);
  await files.expiryByPrefix.runDue(signal);
  await bucket.put('a.txt', 2);
  await files.expiryByPrefix.runDue(signal);
  expect(await bucket.paths()).toEqual(['a.txt']);
  now += 6 * HOUR;
  await files.expiryByPrefix.runDue(signal);
  expect(await bucket.paths()).toEqual([]);
  await bucket.put('a.txt', 2);
  await bucket.setRules([{ prefix: 'a', days: 2 }]);
  await files.expiryByPrefix.runDue(signal);
  expect(await bucket.paths()).toEqual([]);
  await bucket.setRules([]);
  await bucket.put('a.txt', 1000);
  now += 7 * DAY;
  await files.expiryByPrefix.runDue(signal);
  expect(await bucket.paths()).toEqual(['a.txt']);
});

test('the trash and versions keep what expires as what is deleted', async () => {
  const bucket = await openBucket([{ prefix: '', days: 1 }]);
  await buckets.settings.setRetention(bucket.userId, bucket.id, {
    keep_deleted_days: 7,
    keep_versions: 2,
  });
  await bucket.put('a.txt', 3);
  const id = await bucket.put('a.txt', 2);
  await files.expiryByPrefix.runDue(signal);
  expect(await bucket.paths()).toEqual([]);
  const { data } = await files.trash.list(bucket.id, {});
  expect(data.map((file) => file.id)).toEqual([id]);
});

test('a file that was moved away, or whose rule is gone, since it was found stays', async () => {
  const bucket = await openBucket([{ prefix: 'tmp/', days: 1 }]);
  const moved = await bucket.put('tmp/moved.txt', 2);
  const contents = {
    lock: async (tx: Parameters<typeof buckets.contents.lock>[0], id: string) => {
      const isOpen = await buckets.contents.lock(tx, id);
      await tx.updateTable('files').set({ path: 'kept.txt' }).where('id', '=', moved).execute();
      return isOpen;
    },
  } as typeof buckets.contents;
  const { expiryWalks } = buckets;
  const byId = buckets.byId.bind(buckets);
  await new ExpiryByPrefix({ ...deps, buckets: { expiryWalks, byId, contents } }).runDue(signal);
  expect(await bucket.paths()).toEqual(['kept.txt']);

  await bucket.put('tmp/a.txt', 2);
  await bucket.setRules([{ prefix: 'tmp/', days: 1 }]);
  const walks = {
    due: expiryWalks.due.bind(expiryWalks),
    save: expiryWalks.save.bind(expiryWalks),
    lockedRules: expiryWalks.lockedRules.bind(expiryWalks),
    rulesOf: async (id: string) => {
      const rules = await expiryWalks.rulesOf(id);
      await bucket.setRules([{ prefix: 'other/', days: 1 }]);
      return rules;
    },
  } as typeof expiryWalks;
  await new ExpiryByPrefix({
    ...deps,
    buckets: { expiryWalks: walks, byId, contents: buckets.contents },
  }).runDue(signal);
  expect(await bucket.paths()).toEqual(['kept.txt', 'tmp/a.txt']);
  // The walk of the new rules is still to come: the old one has not stored that it has ended.
  expect(await expiryWalks.due(10)).toEqual([{ bucketId: bucket.id, position: '' }]);
});

/** Deletes as the server does, but fails for one file. */
const failingFor = (broken: string) => ({
  deleteIn: ((tx, bucket, fileId, ...rest) =>
    fileId === broken
      ? Promise.reject(new Error('broken'))
      : files.deletion.deleteIn(tx, bucket, fileId, ...rest)) as typeof files.deletion.deleteIn,
});

test('a file whose deletion fails keeps no other from being deleted', async () => {
  const bucket = await openBucket([{ prefix: '', days: 1 }]);
  const broken = await bucket.put('a.txt', 2);
  await bucket.put('b.txt', 2);
  const other = await openBucket([{ prefix: '', days: 1 }]);
  await other.put('c.txt', 2);
  const walk = new ExpiryByPrefix({ ...deps, deletion: failingFor(broken) });
  await expect(walk.runDue(signal)).rejects.toThrow('broken');
  expect(await bucket.paths()).toEqual(['a.txt']);
  expect(await other.paths()).toEqual([]);
  now += 6 * HOUR;
  await files.expiryByPrefix.runDue(signal);
  expect(await bucket.paths()).toEqual([]);
});

test('a file with a time of its own whose deletion fails keeps no other either', async () => {
  const bucket = await openBucket([]);
  const broken = await bucket.put('a.txt');
  for (const path of ['b.txt', 'c.txt']) await bucket.put(path);
  const expires_at = now - HOUR;
  await db.updateTable('files').set({ expires_at }).where('bucket_id', '=', bucket.id).execute();
  await bucket.put('kept.txt');
  const first = { expires_at: expires_at - HOUR };
  await db.updateTable('files').set(first).where('id', '=', broken).execute();
  const expiry = new Expiry({ ...deps, deletion: failingFor(broken) });
  await expect(expiry.deleteExpired(signal)).rejects.toThrow('broken');
  expect(await bucket.paths()).toEqual(['a.txt', 'kept.txt']);
  await files.expiry.deleteExpired(signal);
  expect(await bucket.paths()).toEqual(['kept.txt']);
});

test('a bucket with much to delete takes turns with the others', async () => {
  const bucket = await openBucket([{ prefix: 'many/', days: 1 }]);
  const many = Array.from({ length: 600 }, (_, n) => `many/${String(n).padStart(3, '0')}`);
  await bucket.putMany(many, 2);
  await bucket.put('last.txt', 2);
  const other = await openBucket([{ prefix: '', days: 1 }]);
  await other.put('c.txt', 2);
  await files.expiryByPrefix.runDue(signal);
  expect(await other.paths()).toEqual([]);
  const left = await bucket.paths();
  expect(left).toEqual(['last.txt', ...many.slice(many.length - left.length + 1)]);
  expect(left.length).toBeGreaterThan(300);
  // Its next turn is behind that of a bucket that has waited longer.
  now += HOUR;
  const waiting = await openBucket([{ prefix: '', days: 1 }]);
  const earlier = { expiry_due_at: 1 };
  await db.updateTable('buckets').set(earlier).where('id', '=', waiting.id).execute();
  const order = (await buckets.expiryWalks.due(10)).map(({ bucketId }) => bucketId);
  expect(order).toEqual([waiting.id, bucket.id]);
  for (let n = 0; n < 3; n += 1) await files.expiryByPrefix.runDue(signal);
  expect(await bucket.paths()).toEqual(['last.txt']);
});

test('a bucket that is being deleted has no turn', async () => {
  const bucket = await openBucket([{ prefix: '', days: 1 }]);
  await bucket.put('a.txt', 2);
  await database.transaction((tx) =>
    buckets.deletion.start(tx, bucket.id, { userId: bucket.userId }),
  );
  await files.expiryByPrefix.runDue(signal);
  expect(await bucket.paths()).toEqual(['a.txt']);
  expect(await buckets.expiryWalks.due(10)).toEqual([]);
});
