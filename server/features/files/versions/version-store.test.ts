import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { fileRows } from '../../../../tests/support/fixtures/file-rows.ts';
import {
  describeEachEngine,
  describeOnPostgres,
} from '../../../../tests/support/server/engines.ts';
import { runStatements } from '../../../platform/db/batch.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import { openCharged } from '../../billing/testing/charged-fixture.ts';
import { markTrashPurged } from '../retention/purge-store.ts';
import {
  MAX_JOINED,
  removedFile,
  removeVersions,
  restoreRow,
} from '../retention/retention-store.ts';
import { fileInsertions } from '../store.ts';
import { joinVersions } from './version-store.ts';

const PATH = 'a.txt';
const NOW = 1_000_000;
/** More than one call purges. */
const ROUNDS = 4;

type Set = { removal: 'replaced' | 'deleted'; purge_at: number | null; from: number };

/** Adds earlier versions of one path, each superseded a millisecond after the one before. Returns their ids in this order. */
async function addVersions(
  { transaction }: Database,
  bucketId: string,
  count: number,
  { removal, purge_at, from }: Set,
): Promise<string[]> {
  const rows = fileRows(bucketId, count).map((row, n) => ({
    ...row,
    path: PATH,
    superseded_at: from + n,
  }));
  const ids = rows.map(({ id }) => id);
  await transaction(async (tx) => {
    await runStatements(
      tx,
      rows.flatMap((row) => fileInsertions(tx, row)),
    );
    await tx.updateTable('files').set({ removal, purge_at }).where('id', 'in', ids).execute();
  });
  return ids;
}

/** Makes two buckets, and versions of a path in the other one, which nothing may change. */
async function openPathIn(database: Database) {
  const { makeBucket } = await openCharged(database);
  const bucketId = await makeBucket();
  const other = await makeBucket();
  const kept = await addVersions(database, other, 2, {
    ...{ removal: 'replaced', purge_at: null, from: 1 },
  });
  const idsWhere = async (purgeAt: number | null, removal: Set['removal'] | 'purged') =>
    (
      await database.db
        .selectFrom('files')
        .select('id')
        .where('bucket_id', '=', bucketId)
        .where('purge_at', purgeAt === null ? 'is' : '=', purgeAt)
        .where('removal', '=', removal)
        .orderBy('superseded_at')
        .execute()
    ).map(({ id }) => id);
  return {
    database,
    bucketId,
    place: { bucket_id: bucketId, path: PATH },
    idsWhere,
    other,
    kept,
  };
}

await describeEachEngine('the versions of a path', (openDatabase) => {
  const openPath = async () => openPathIn(await openDatabase());

  test('stay so few that markers can be deleted one after the other, and the newest are kept', async () => {
    const { database, bucketId, place, idsWhere, other, kept } = await openPath();
    const all: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const purge_at = NOW + 1 + round;
      const from = 1 + round * 1000;
      const versions = { removal: 'replaced', purge_at, from } as const;
      all.push(...(await addVersions(database, bucketId, 100, versions)));
      const deleted = { removal: 'deleted', purge_at, from: from + 500 } as const;
      all.push(...(await addVersions(database, bucketId, 1, deleted)));
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = all[round * 101 + 100] ?? '';
      const purge_at = NOW + 1 + round;
      const next = round + 1 < ROUNDS ? purge_at + 1 : null;
      await database.transaction((tx) => joinVersions(tx, { ...place, id, purge_at }, next, NOW));
      expect(await idsWhere(purge_at, 'replaced')).toEqual([]);
      expect(await idsWhere(purge_at, 'deleted')).toEqual([]);
      expect((await idsWhere(next, 'replaced')).length).toBeLessThanOrEqual(MAX_JOINED);
    }
    expect(await idsWhere(null, 'replaced')).toEqual(all.slice(-MAX_JOINED));
    expect(await idsWhere(NOW, 'purged')).toEqual(all.slice(0, -MAX_JOINED));
    expect(await keptOf(database, other)).toEqual(kept);
  });

  test('that are too many go with the file that is deleted, the newest of them to the trash', async () => {
    const { database, bucketId, place, idsWhere, other, kept } = await openPath();
    const ids = await addVersions(database, bucketId, MAX_JOINED + 44, {
      ...{ removal: 'replaced', purge_at: null, from: 1 },
    });
    const purgeAt = NOW + 7;
    await database.transaction((tx) => removeVersions(tx, place, purgeAt, NOW));
    expect(await idsWhere(purgeAt, 'replaced')).toEqual(ids.slice(44));
    expect(await idsWhere(NOW, 'purged')).toEqual(ids.slice(0, 44));
    expect(await idsWhere(null, 'replaced')).toEqual([]);
    expect(await keptOf(database, other)).toEqual(kept);
  });

  test('of the trash are purged in slices of rows, and those of other files stay', async () => {
    const { database, bucketId, idsWhere, other, kept } = await openPath();
    const sets = [NOW + 1, NOW + 2, NOW + 3];
    for (const [round, purge_at] of sets.entries()) {
      const from = 1 + round * 1000;
      await addVersions(database, bucketId, 100, { removal: 'replaced', purge_at, from });
      await addVersions(database, bucketId, 1, { removal: 'deleted', purge_at, from: from + 500 });
    }
    const current = await addVersions(database, bucketId, 5, {
      ...{ removal: 'replaced', purge_at: null, from: 5000 },
    });
    const limit = 64;
    let [files, before] = [0, 0];
    for (let isLast = false; !isLast; ) {
      const marked = await database.transaction((tx) => markTrashPurged(tx, bucketId, NOW, limit));
      const purged = (await idsWhere(NOW, 'purged')).length;
      expect(purged - before).toBe(marked.versions + marked.files);
      expect(marked.versions).toBeLessThanOrEqual(limit);
      expect(marked.files).toBeLessThanOrEqual(limit);
      [files, before] = [files + marked.files, purged];
      isLast = marked.isLast;
    }
    expect([files, before]).toEqual([3, 303]);
    for (const purge_at of sets) {
      expect(await idsWhere(purge_at, 'replaced')).toEqual([]);
      expect(await idsWhere(purge_at, 'deleted')).toEqual([]);
    }
    expect(await idsWhere(null, 'replaced')).toEqual(current);
    expect(await keptOf(database, other)).toEqual(kept);
  });
});

await describeOnPostgres('emptying the trash', (openDatabase) => {
  test.each([0, 2])(
    'leaves a file that is restored meanwhile, and its %d versions',
    async (count) => {
      const { database, bucketId, idsWhere } = await openPathIn(await openDatabase());
      const purge_at = NOW + 1;
      const versions =
        count === 0
          ? []
          : await addVersions(database, bucketId, count, {
              removal: 'replaced',
              purge_at,
              from: 1,
            });
      const [id = ''] = await addVersions(database, bucketId, 1, {
        ...{ removal: 'deleted', purge_at, from: 10 },
      });
      const marking = await database.transaction(async (tx) => {
        const file = await removedFile(tx, bucketId, id, NOW);
        if (!file) throw new Error('The file is not in the trash.');
        await restoreRow(tx, file, { isRenamed: false, now: NOW });
        const marked = database.transaction((other) => markTrashPurged(other, bucketId, NOW, 64));
        await lockWait(tx);
        return { marked };
      });
      expect(await marking.marked).toEqual({ versions: 0, files: 0, isLast: true });
      expect(await idsWhere(null, 'replaced')).toEqual(versions);
      const restored = database.db
        .selectFrom('files')
        .select(['removal', 'purge_at', 'superseded_at']);
      expect(await restored.where('id', '=', id).execute()).toEqual([
        { removal: null, purge_at: null, superseded_at: null },
      ]);
    },
  );

  test('goes on with the others where files are restored while they are marked', async () => {
    const { database, bucketId, idsWhere } = await openPathIn(await openDatabase());
    const purge_at = NOW + 1;
    const deleted = { removal: 'deleted', purge_at } as const;
    const ids = await addVersions(database, bucketId, 3, { ...deleted, from: 10 });
    const limit = 1;
    const mark = () =>
      database.transaction((other) => markTrashPurged(other, bucketId, NOW, limit));
    const { marked } = await database.transaction(async (tx) => {
      // The last one that was deleted is the first one that is marked.
      const file = await removedFile(tx, bucketId, ids.at(-1) ?? '', NOW);
      if (!file) throw new Error('The file is not in the trash.');
      await restoreRow(tx, file, { isRenamed: false, now: NOW });
      const marked = mark();
      await lockWait(tx);
      return { marked };
    });
    expect(await marked).toEqual({ versions: 0, files: 0, isLast: false });
    for (let isLast = false; !isLast; ) ({ isLast } = await mark());
    expect(await idsWhere(NOW, 'purged')).toEqual(ids.slice(0, -1));
    expect(await idsWhere(purge_at, 'deleted')).toEqual([]);
  });
});

/** Waits until another transaction waits for a lock. */
async function lockWait(tx: Tx): Promise<void> {
  for (let waiting = 0; waiting === 0; ) {
    const { rows } = await sql`
      select pid from pg_locks where not granted and pid in
        (select pid from pg_stat_activity where datname = current_database())`.execute(tx);
    waiting = rows.length;
  }
}

/** Returns the ids of the versions of current files of a bucket. */
const keptOf = async ({ db }: Database, bucketId: string) =>
  (
    await db
      .selectFrom('files')
      .select('id')
      .where('bucket_id', '=', bucketId)
      .where('removal', '=', 'replaced')
      .where('purge_at', 'is', null)
      .orderBy('superseded_at')
      .execute()
  ).map(({ id }) => id);
