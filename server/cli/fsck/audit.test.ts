import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import type { AuditSources } from '../../adapters/operator.ts';
import { DAY, MINUTE } from '../../contract/limits.ts';
import type { Database } from '../../platform/db/port.ts';
import { openDiskForReading, openDiskStore } from '../../platform/storage/disk.ts';
import { runPendingDeletes } from '../../platform/storage/pending-deletes.ts';
import { scheduleDelete } from '../../platform/storage/pending-deletes-store.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';
import { audit } from './audit.ts';
import type { Finding } from './finding.ts';
import { removeOrphans } from './remove-orphans.ts';
import { allPrefixes } from './store.ts';
import { fill } from './testing/bucket-in-use.ts';

const NOW = Date.parse('2025-06-01T12:00:00Z');
const base = await mkdtemp(join(tmpdir(), 'wharf-fsck-'));
afterAll(() => rm(base, { recursive: true, force: true }));

await describeEachEngine('the audit', (open) => {
  let database: Database;
  let store: ObjectStore;
  let root: string;
  let sources: AuditSources;
  const put = (key: string, length: number) =>
    store.put(key, new Blob([new Uint8Array(length)]).stream());
  const findingsOf = async (
    auditSources = sources,
    orphans?: AsyncGenerator<Finding>,
  ): Promise<Finding[]> =>
    (await Array.fromAsync(audit(auditSources, () => NOW, orphans))).sort((a, b) =>
      a.kind < b.kind ? -1 : 1,
    );
  const kinds = async (): Promise<[string, string][]> =>
    (await findingsOf()).map(({ kind, subject }): [string, string] => [kind, subject]);

  beforeAll(async () => {
    database = await open();
  });
  beforeEach(async () => {
    const { db } = database;
    for (const table of ['users', 'blobs', 'billed_buckets', 'pending_deletes', 'jobs'] as const)
      await db.deleteFrom(table).execute();
    root = await mkdtemp(join(base, 'root-'));
    store = await openDiskStore({ root });
    const disk = openDiskForReading({ root });
    sources = { database, objects: disk, leftovers: () => disk.leftovers(Date.now()) };
    await fill(database, put, NOW);
  });

  test('finds nothing where rows and objects agree', async () => {
    expect(await findingsOf()).toEqual([]);
  });

  test('changes nothing', async () => {
    await store.delete('f/b/done/a1/film.m3u8');
    await put('f/b/lost/a1/x', 5);
    const before = await Array.fromAsync(store.list(''));
    expect(await findingsOf()).not.toEqual([]);
    expect(await Array.fromAsync(store.list(''))).toEqual(before);
  });

  test('finds what is stored for no row, a line per folder', async () => {
    await put('f/b/lost/a1/one', 1024);
    await put('f/b/lost/a1/two', 1024);
    await put('stray', 10);
    await put('f/b/done/a2/of-another-attempt', 10);
    const texts = (await findingsOf())
      .map(({ kind, subject, text }) => `${kind} ${subject}: ${text}`)
      .sort();
    expect(texts).toEqual([
      'orphan /: 1 object, 0.01 KiB, not referenced by the database',
      'orphan f/b/done/a2/: 1 object, 0.01 KiB, not referenced by the database',
      'orphan f/b/lost/a1/: 2 objects, 2.00 KiB, not referenced by the database',
    ]);
  });

  describe('and removes', () => {
    const isOld = (key: string) =>
      utimes(join(root, 'objects', key), new Date(NOW), new Date(NOW - 2 * DAY));
    const remove = async () =>
      (
        await findingsOf(
          sources,
          removeOrphans(sources, database, () => NOW),
        )
      ).map(({ subject, text }) => `${subject}: ${text}`);

    test('what is stored for no row, but not what is new', async () => {
      for (const key of ['f/b/lost/a1/old', 'f/b/lost/a1/older', 'f/b/stray', 'f/b/lost/a1/new'])
        await put(key, 1);
      for (const key of ['f/b/lost/a1/old', 'f/b/lost/a1/older', 'f/b/stray']) await isOld(key);
      const text = 'not referenced by the database; scheduled for deletion';
      expect((await remove()).sort()).toEqual([
        `f/b/: 1 object, 0.00 KiB, ${text}`,
        `f/b/lost/a1/: 3 objects, 0.00 KiB, ${text}, except 1 less than a day old`,
      ]);
      await runPendingDeletes({ db: database.db, objects: store, now: NOW });
      expect(await findingsOf()).toEqual([
        expect.objectContaining({ kind: 'orphan', subject: 'f/b/lost/a1/' }),
      ]);
      expect(await store.open('f/b/lost/a1/new')).not.toBeNull();
    });

    test('also where no file is processed', async () => {
      const processed = database.db.selectFrom('media').select('file_id');
      await database.db.deleteFrom('files').where('id', 'in', processed).execute();
      await put('f/b/lost/a1/old', 1);
      await isOld('f/b/lost/a1/old');
      expect(await remove()).toContain(
        'f/b/lost/a1/: 1 object, 0.00 KiB, not referenced by the database; scheduled for deletion',
      );
    });

    test('nothing where the storage may not be that of the database', async () => {
      await put('f/b/lost/a1/old', 1);
      await isOld('f/b/lost/a1/old');
      for (const key of ['f/b/done/a1/film.m3u8', 'o/b/plain/file.txt', 'o/b/empty/file.txt'])
        await store.delete(key);
      await expect(remove()).rejects.toThrow('None of the newest files');
      await database.db.deleteFrom('files').execute();
      await expect(remove()).rejects.toThrow('None of the newest files');
      const pending = database.db.selectFrom('pending_deletes').select('prefix');
      expect(await pending.where('prefix', 'like', '%/lost/%').execute()).toEqual([]);
    });
  });

  test.each([
    ['the entry of a file', 'f/b/done/a1/film.m3u8', 'total'],
    ['its poster', 'f/b/done/a1/poster.webp', 'total'],
    ['its previews', 'f/b/done/a1/previews.vtt', 'total'],
    ['the original that is kept', 'o/b/done/original', 'total'],
    ['the early playlist of a file in work', 'f/b/early/a1/early.m3u8', null],
    ['the source that a job needs', 'u/waiting/0.x', null],
    ['the thumbnail that a job needs', 'u/waiting/thumbnail.x', null],
    ['a chunk that was acknowledged', 'u/open/0.x', null],
    ['the thumbnail of an upload', 'u/open/thumbnail.x', null],
    ['a part that was acknowledged', 'u/tus/0.x', null],
  ])('misses %s', async (_, key, also) => {
    await store.delete(key);
    const subject = key === 'o/b/done/original' ? 'o/b/done/' : key;
    const expected: [string, string][] = [['missing', subject]];
    if (also) expected.push([also, 'done']);
    expect(await kinds()).toEqual(expected);
  });

  test('misses the bytes of files that are not processed, also of an empty one', async () => {
    for (const id of ['plain', 'empty']) await store.delete(`o/b/${id}/file.txt`);
    expect((await kinds()).sort()).toEqual([
      ['missing', 'o/b/empty/file.txt'],
      ['missing', 'o/b/plain/file.txt'],
      ['total', 'plain'],
    ]);
  });

  test('finds an original that has lost bytes, whatever else is stored beside it', async () => {
    await put('o/b/plain/file.txt', 20);
    await put('o/b/plain/other', 10);
    expect((await findingsOf()).map(({ text }) => text)).toEqual([
      '20 bytes are stored of the original of the file plain, the database has 30',
    ]);
  });

  test('finds a bucket without its primary key', async () => {
    await database.db.deleteFrom('api_keys').execute();
    expect(await findingsOf()).toEqual([
      { kind: 'missing', subject: 'b', text: 'the bucket has no primary API key' },
    ]);
  });

  test('finds a chunk that is shorter than was acknowledged', async () => {
    await put('u/open/0.x', 5);
    expect(await kinds()).toEqual([['missing', 'u/open/0.x']]);
  });

  test('knows derivatives, misses them, and counts them in their files', async () => {
    const prefix = 'f/b/done/d/x/';
    await put(`${prefix}film.webp`, 7);
    expect((await kinds())[0]).toEqual(['orphan', prefix]);
    const row = {
      ...{ id: 'x', file_id: 'done', bucket_id: 'b', transform: 'webp' },
      ...{ prefix, name: 'film.webp' },
    };
    await database.db
      .insertInto('derivatives')
      .values({ ...row, bytes: 7, used_at: NOW })
      .execute();
    expect(await kinds()).toEqual([['total', 'done']]);
    const { db } = database;
    await db.updateTable('files').set({ stored_bytes: 167 }).where('id', '=', 'done').execute();
    await db.updateTable('buckets').set({ usage: 397 }).where('id', '=', 'b').execute();
    await db.updateTable('billed_buckets').set({ stored: 397 }).execute();
    expect(await findingsOf()).toEqual([]);
    await store.delete(`${prefix}film.webp`);
    expect((await kinds()).sort()).toEqual([
      ['missing', `${prefix}film.webp`],
      ['total', 'done'],
    ]);
  });

  test('finds an object beside those that a file counts', async () => {
    await put('f/b/done/a1/left-by-a-crash', 7);
    expect(await findingsOf()).toEqual([
      {
        kind: 'total',
        subject: 'done',
        text: 'the database has 160 bytes for the file, 167 are stored',
      },
    ]);
  });

  test('does not count what will be deleted beside the original of a file', async () => {
    await put('o/b/done/part', 7);
    expect((await kinds())[0]).toEqual(['total', 'done']);
    await scheduleDelete(database.db, 'o/b/done/part', NOW);
    expect(await findingsOf()).toEqual([]);
    // A backup lists the objects below each of them.
    const prefixes = await Array.fromAsync(allPrefixes(database.db));
    expect(prefixes.filter((prefix) => !prefix.endsWith('/'))).toEqual([]);
  });

  test('finds a bucket that counts wrong, but not while it is being deleted', async () => {
    const bucket = database.db.updateTable('buckets').where('id', '=', 'b');
    await bucket.set({ usage: 1, total_uploads: 9 }).execute();
    expect((await findingsOf()).map(({ text }) => text)).toEqual([
      'the bucket is charged for 390 bytes, its total is 1',
      "the bucket's total is 1 bytes, its files add up to 390",
      "the bucket's total is 9 files, it has 6",
    ]);
    await bucket.set({ status: 'deleting' }).execute();
    expect(await findingsOf()).toEqual([]);
  });

  test('finds a blob that counts other files than have it, and files without theirs', async () => {
    const { db } = database;
    await db.updateTable('blobs').set({ refs: 2 }).where('id', '=', 'done').execute();
    await db.updateTable('files').set({ blob_id: 'lost' }).where('id', '=', 'failed').execute();
    expect((await findingsOf()).map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'missing: missing original of the file failed',
      'total: the blob counts 2 files, 1 have it',
    ]);
  });

  test('finds a blob that belongs to no file', async () => {
    const { db } = database;
    await db.updateTable('blobs').set({ refs: 0 }).where('id', '=', 'done').execute();
    await db.updateTable('files').set({ blob_id: null }).where('id', '=', 'done').execute();
    expect((await findingsOf()).map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'total: the database has 160 bytes for the file, 60 are stored',
      'total: the blob counts 0 files, 0 have it',
    ]);
  });

  test('finds an account whose totals differ from its buckets', async () => {
    await database.db.updateTable('account_totals').set({ files: 3 }).execute();
    expect((await findingsOf()).map(({ subject, text }) => `${subject}: ${text}`)).toEqual([
      "u: the account's totals differ from the sums over its buckets",
    ]);
    await database.db.deleteFrom('account_totals').execute();
    expect((await findingsOf()).map(({ subject }) => subject)).toEqual(['u']);
  });

  test('finds a prefix that no sweep has removed in time', async () => {
    await scheduleDelete(database.db, 'f/late/', NOW - 6 * MINUTE);
    await scheduleDelete(database.db, 'f/soon/', NOW - 4 * MINUTE);
    await put('f/late/x', 1);
    expect(await kinds()).toEqual([['overdue', 'f/late/']]);
  });

  test('finds a delete that fails, with its reason, but not one that is under way', async () => {
    const { db } = database;
    const sweepAt = (now: number, deletePrefix: ObjectStore['deletePrefix']) =>
      runPendingDeletes({ db, objects: { ...store, deletePrefix }, now });
    await scheduleDelete(db, 'f/large/', NOW - 9 * MINUTE);
    await sweepAt(NOW - 4 * MINUTE, async () => false);
    expect(await kinds()).toEqual([]);
    const fail = async (prefix: string, minutes: number) => {
      await scheduleDelete(db, prefix, NOW - 9 * MINUTE);
      await sweepAt(NOW - minutes * MINUTE, async (swept) => {
        if (swept === prefix) throw new Error('no permission');
        return true;
      });
    };
    await fail('f/away/', 1);
    expect(await kinds()).toEqual([]);
    await fail('f/stuck/', 6);
    expect((await findingsOf()).map(({ text }) => text)).toEqual([
      "can't be deleted since 2025-06-01T11:54:00.000Z (no permission), still stored",
    ]);
  });

  test('finds temporary files of processes that are gone', async () => {
    const path = join(root, 'tmp', 'stranger');
    await Bun.write(path, 'x');
    await Bun.write(join(root, 'tmp', `${process.ppid}-0a1b2c3d-alive`), 'x');
    expect(await kinds()).toEqual([['temporary', path]]);
  });

  describe('beside a server', () => {
    test('does not tell of what is put right before it looks again', async () => {
      await put('f/b/late/a1/x', 10);
      const slow: AuditSources = {
        ...sources,
        objects: {
          ...sources.objects,
          async *list(prefix) {
            const objects = await Array.fromAsync(sources.objects.list(prefix));
            if (prefix === '') await store.deletePrefix('f/b/late/');
            yield* objects;
          },
        },
      };
      expect(await findingsOf(slow)).toEqual([]);
    });

    test('does not tell of a file that is deleted while it looks', async () => {
      const { db } = database;
      const deleting: AuditSources = {
        ...sources,
        objects: {
          ...sources.objects,
          async open(key) {
            if (!key.startsWith('f/b/done/')) return sources.objects.open(key);
            for (const table of ['files', 'blobs'] as const) {
              await db.deleteFrom(table).where('id', '=', 'done').execute();
            }
            await scheduleDelete(db, 'f/b/done/', NOW);
            await scheduleDelete(db, 'o/b/done/', NOW);
            return null;
          },
        },
      };
      await db.updateTable('buckets').set({ usage: 230, total_uploads: 5 }).execute();
      await db.updateTable('billed_buckets').set({ stored: 230 }).execute();
      expect(await findingsOf(deleting)).toEqual([]);
    });
  });
});
