import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { until } from '../../../../tests/support/client/wait.ts';
import { insertBuckets } from '../../../../tests/support/fixtures/bucket-rows.ts';
import {
  describeEachEngine,
  describeOnPostgres,
  type OpenDatabase,
} from '../../../../tests/support/server/engines.ts';
import { runStatements } from '../../../platform/db/batch.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import { resealAll } from '../../../platform/secrets/reseal.ts';
import { deriveKeys, formatSecrets, seal, unseal } from '../../../platform/secrets/secrets.ts';
import * as store from './source-store.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const UNWANTED = new Error('unwanted');

const rowOf = (bucket_id: string, id = `source-${bucket_id}`) => ({
  ...{ id, bucket_id, endpoint: 'https://s3.example.com', region: 'us-east-1' },
  ...{ access_key_id: 'key', secret_sealed: 'sealed', source_bucket: 'photos' },
  ...({ prefix: '', folder: '', access: 'public', created_at: NOW } as const),
});

/** Opens a database with two buckets, of which the first has a source. */
async function withSource(open: OpenDatabase): Promise<Database> {
  const database = await open();
  await insertBuckets(database.db, NOW, ['a', 'b']);
  await database.transaction((tx) => store.setSource(tx, rowOf('a')));
  return database;
}
const exclude = (database: Database, bucketId: string, ...paths: string[]) =>
  database.transaction((tx) => store.excludePaths(tx, bucketId, paths));
const fetchable = (tx: Tx, path: string, id = 'source-a') =>
  runStatements(
    tx,
    store.fetchGuard(tx, { id, bucket_id: 'a', path }, () => UNWANTED),
  );
const isFetchable = (database: Database, path: string, id?: string) =>
  database
    .transaction((tx) => fetchable(tx, path, id))
    .then(
      () => true,
      (error) => {
        expect(error).toBe(UNWANTED);
        return false;
      },
    );
const setCount = ({ db }: Database, excluded: number) =>
  db.updateTable('bucket_sources').set({ excluded }).execute();

await describeEachEngine('the source of a bucket', (open) => {
  test('excludes paths once each, and only where there is a source', async () => {
    const database = await withSource(open);
    const { db } = database;
    await exclude(database, 'a', 'x', 'y', 'x');
    await exclude(database, 'a', 'x');
    await exclude(database, 'b', 'x');
    expect((await store.findSource(db, 'a'))?.excluded).toBe(2);
    expect(await store.isExcluded(db, 'a', 'x')).toBe(true);
    expect(await store.isExcluded(db, 'a', 'z')).toBe(false);
    expect(await store.isExcluded(db, 'b', 'x')).toBe(false);
    expect(await isFetchable(database, 'y')).toBe(false);
    expect(await isFetchable(database, 'z')).toBe(true);
    expect(await isFetchable(database, 'z', 'source-before')).toBe(false);
  });

  test('excludes no path outside of its folder, as nothing is fetched to it', async () => {
    const database = await withSource(open);
    const { db } = database;
    await db.updateTable('bucket_sources').set({ folder: 'größe/' }).execute();
    await exclude(database, 'a', 'größe/x', 'größer/x', 'x', 'größe');
    expect((await store.findSource(db, 'a'))?.excluded).toBe(1);
    expect(await store.isExcluded(db, 'a', 'größe/x')).toBe(true);
    for (const path of ['größer/x', 'x', 'größe']) {
      expect([path, await store.isExcluded(db, 'a', path)]).toEqual([path, false]);
    }
  });

  test('keeps what is excluded when it is set again, also after it was removed', async () => {
    const database = await withSource(open);
    const { db } = database;
    await exclude(database, 'a', 'x');
    await store.setSourceError(db, 'source-a', 'The connection was refused.');
    await database.transaction((tx) => store.setSource(tx, rowOf('a', 'second')));
    expect(await store.findSource(db, 'a')).toMatchObject({
      id: 'second',
      excluded: 1,
      error: null,
    });
    await database.transaction((tx) => store.deleteSource(tx, 'a'));
    expect(await store.findSource(db, 'a')).toBeUndefined();
    expect(await isFetchable(database, 'z', 'second')).toBe(false);
    await database.transaction((tx) => store.setSource(tx, rowOf('a', 'third')));
    expect((await store.findSource(db, 'a'))?.excluded).toBe(1);
    expect(await isFetchable(database, 'x', 'third')).toBe(false);
    await store.deleteExclusions(db, 'a');
    expect(await store.isExcluded(db, 'a', 'x')).toBe(false);
  });

  test('excludes a bounded number of paths, and then lets nothing come', async () => {
    const database = await withSource(open);
    await setCount(database, store.MAX_EXCLUDED_PATHS - 1);
    expect(await isFetchable(database, 'z')).toBe(true);
    await exclude(database, 'a', 'last', 'more');
    expect(await store.isExcluded(database.db, 'a', 'last')).toBe(true);
    expect(await store.isExcluded(database.db, 'a', 'more')).toBe(false);
    expect(await isFetchable(database, 'z')).toBe(false);
  });

  test('forgets what is excluded at once, also where it is full, and nothing that is deleted meanwhile', async () => {
    const database = await withSource(open);
    const { db } = database;
    await exclude(database, 'a', 'before', 'both');
    await setCount(database, store.MAX_EXCLUDED_PATHS);
    await database.transaction((tx) => store.clearExclusions(tx, 'a'));
    await exclude(database, 'a', 'both', 'after');
    for (const work of [async () => {}, () => store.deleteCleared(db, 'a')]) {
      await work();
      for (const [path, isExcluded] of [
        ['before', false],
        ['both', true],
        ['after', true],
      ] as const) {
        expect([path, await store.isExcluded(db, 'a', path)]).toEqual([path, isExcluded]);
        expect([path, await isFetchable(database, path)]).toEqual([path, !isExcluded]);
      }
    }
    const left = await db.selectFrom('source_exclusions').select('path').orderBy('path').execute();
    expect(left.map(({ path }) => path)).toEqual(['after', 'both']);
    expect((await store.findSource(db, 'a'))?.excluded).toBe(2);
    // The next source counts these alone.
    await database.transaction((tx) => store.deleteSource(tx, 'a'));
    await database.transaction((tx) => store.setSource(tx, rowOf('a', 'next')));
    expect(await store.findSource(db, 'a')).toMatchObject({ excluded: 2 });
    expect(await isFetchable(database, 'after', 'next')).toBe(false);
  });

  test('has its secret sealed again with a new secret of the server', async () => {
    const database = await withSource(open);
    const [old, current] = [deriveKeys('old '.repeat(8)), deriveKeys('new '.repeat(8))];
    const secret_sealed = seal(old('s3-import-seal'), 'secret', 'source-a');
    await database.db.updateTable('bucket_sources').set({ secret_sealed }).execute();
    const keys = deriveKeys(formatSecrets('new '.repeat(8), 'old '.repeat(8)));
    expect(await resealAll({ database, keys })).toBe(1);
    const sealed = (await store.findSource(database.db, 'a'))?.secret_sealed ?? '';
    expect(unseal(current.all('s3-import-seal'), sealed, 'source-a')).toBe('secret');
  });
});

await describeOnPostgres('what is being fetched', (open) => {
  test('waits for who excludes its path, and is not stored then', async () => {
    const database = await withSource(open);
    const excluded = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const excluding = database.transaction(async (tx) => {
      await store.excludePaths(tx, 'a', ['x']);
      excluded.resolve();
      await release.promise;
    });
    await excluded.promise;
    const fetching = isFetchable(database, 'x');
    await until(async () => {
      const { rows } = await sql`select 1 from pg_locks where not granted`.execute(database.db);
      return rows.length > 0;
    });
    release.resolve();
    await excluding;
    expect(await fetching).toBe(false);
  });
});
