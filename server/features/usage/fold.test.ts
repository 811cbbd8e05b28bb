import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { describeOnPostgres } from '../../../tests/support/server/engines.ts';
import { gated } from '../../../tests/support/server/gated-database.ts';
import { miscountedAccounts } from '../../cli/fsck/totals-store.ts';
import { HOUR, MINUTE } from '../../contract/limits.ts';
import type { Database } from '../../platform/db/port.ts';
import { foldChanges } from './fold.ts';
import { dayOf, hourOf } from './periods.ts';
import { openUsageFixture } from './testing/usage-fixture.ts';

const NOW = Date.parse('2025-05-05T10:30:00Z');
const BYTES = 1000;

await describeOnPostgres('changes of buckets', (openDatabase) => {
  async function open() {
    const database = gated(await openDatabase());
    const fixture = await openUsageFixture(database, NOW);
    return { ...fixture, database, bucketId: await fixture.makeBucket() };
  }

  const unfolded = (database: Database) =>
    database.db.selectFrom('usage_changes').selectAll().execute();
  const daySums = async ({ db }: Database) => {
    const { rows } = await sql`select sum(stored) as stored, sum(kept) as kept,
      sum(uploaded) as uploaded, sum(removed) as removed from usage_days`.execute(db);
    return rows[0];
  };
  const hourSums = async ({ db }: Database) => {
    const { rows } = await sql`select sum(stored_change) as stored, sum(uploaded) as uploaded
      from usage_hours`.execute(db);
    return rows[0];
  };

  test('are in every sum, whatever is being folded by two processes meanwhile', async () => {
    const { database, buckets, userId, bucketId, upload, remove } = await open();
    let [acknowledged, started, isDone] = [0, 0, false];
    const write = async () => {
      for (let round = 0; round < 12; round += 1) {
        started += 1;
        const first = await upload(bucketId, BYTES);
        acknowledged += 1;
        started += 1;
        await upload(bucketId, BYTES);
        acknowledged += 1;
        await remove(bucketId, first, BYTES);
      }
    };
    const fold = async () => {
      while (!isDone) await foldChanges(database);
    };
    const read = async () => {
      while (!isDone) {
        const least = acknowledged - 12 * 4;
        const { usage, total_uploads } = await buckets.get(userId, bucketId);
        const totals = await buckets.ofAccount.totals(userId);
        expect(usage).toBe(total_uploads * BYTES);
        expect(totals.bytes).toBe(totals.files * BYTES);
        expect(total_uploads).toBeGreaterThanOrEqual(least);
        expect(total_uploads).toBeLessThanOrEqual(started);
      }
    };
    const others = [fold(), fold(), read()];
    await Promise.all([write(), write(), write(), write()]);
    isDone = true;
    await Promise.all(others);
    await foldChanges(database, { waits: true });
    expect(await unfolded(database)).toEqual([]);
    const left = 48 * BYTES;
    const counters = database.db.selectFrom('buckets').select(['usage', 'total_uploads']);
    expect(await counters.executeTakeFirst()).toEqual({ usage: left, total_uploads: 48 });
    expect(await miscountedAccounts(database.db)).toEqual([]);
    const uploaded = 96 * BYTES;
    expect(await daySums(database)).toEqual({ stored: left, kept: left, uploaded, removed: left });
    expect(await hourSums(database)).toEqual({ stored: left, uploaded });
  });

  test('are folded by one of two processes that start at once', async () => {
    const { database, bucketId, upload } = await open();
    await upload(bucketId, BYTES);
    const fold = () => foldChanges(database, { waits: true });
    await database.overlap(fold, fold);
    expect(await daySums(database)).toMatchObject({ stored: BYTES, uploaded: BYTES });
    expect(await unfolded(database)).toEqual([]);
  });

  test('end with the bucket that is deleted before they are folded', async () => {
    const { database, buckets, bucketId, upload, hours, move } = await open();
    await upload(bucketId, BYTES);
    await foldChanges(database);
    await upload(bucketId, BYTES);
    move(HOUR);
    await database.overlap(
      () => buckets.deletion.finish(bucketId),
      () => foldChanges(database),
    );
    expect(await unfolded(database)).toEqual([]);
    expect(await daySums(database)).toEqual({
      ...{ stored: 0, kept: 0, uploaded: 2 * BYTES, removed: 2 * BYTES },
    });
    expect((await hours(bucketId)).map(({ stored_change }) => stored_change)).toEqual([
      2 * BYTES,
      -2 * BYTES,
    ]);
    expect(await miscountedAccounts(database.db)).toEqual([]);
    await expect(upload(bucketId, BYTES)).rejects.toMatchObject({ status: 409 });
  });

  test('of a bucket that is gone count what was uploaded, and nothing that would be stored for ever', async () => {
    const { database, bucketId, upload, userId } = await open();
    const id = 'gone';
    await database.db
      .insertInto('usage_changes')
      .values({
        ...{ id, user_id: userId, bucket_id: id, hour: hourOf(NOW), kept_day: dayOf(NOW) },
        ...{ files: 1, uploaded: 7, stored_change: 7, stored_gib_ms: 0, stored_byte_ms: 7 * HOUR },
        ...{ kept: 7, removed: 0 },
      })
      .execute();
    await upload(bucketId, BYTES);
    await foldChanges(database);
    expect(await unfolded(database)).toEqual([]);
    expect(await daySums(database)).toMatchObject({ stored: BYTES, uploaded: BYTES + 7 });
    expect(await hourSums(database)).toEqual({ stored: BYTES, uploaded: BYTES + 7 });
  });

  test('are still there where the process that folds them is killed', async () => {
    const { database, bucketId, upload } = await open();
    await upload(bucketId, BYTES);
    await foldChanges(database);
    await upload(bucketId, BYTES);
    let folding: Promise<unknown> = Promise.resolve();
    await database.db.transaction().execute(async (tx) => {
      await tx.selectFrom('usage_days').select('day').forUpdate().execute();
      folding = foldChanges(database).catch((error) => error);
      for (let killed = 0; killed === 0; ) {
        const { rows } = await sql`
          select pg_terminate_backend(pid) from pg_locks where not granted and pid in
            (select pid from pg_stat_activity where datname = current_database())`.execute(tx);
        killed = rows.length;
      }
      expect(await folding).toBeInstanceOf(Error);
    });
    expect(await unfolded(database)).toHaveLength(1);
    await foldChanges(database);
    expect(await daySums(database)).toMatchObject({ stored: 2 * BYTES, uploaded: 2 * BYTES });
    expect(await unfolded(database)).toEqual([]);
  });

  test('tell how long the oldest of them waits, in whichever bucket that is', async () => {
    const { database, usage, bucketId, upload, makeBucket, move } = await open();
    expect(await usage.unfoldedMs()).toBe(0);
    const other = [bucketId, await makeBucket(), await makeBucket()].sort()[1] ?? '';
    await upload(other, BYTES);
    move(4 * MINUTE);
    for (const id of [bucketId, other]) await upload(id, BYTES);
    expect(await usage.unfoldedMs()).toBe(4 * MINUTE);
    await usage.requireFolding();
    move(2 * MINUTE);
    await expect(usage.requireFolding()).rejects.toThrow('not folded');
    await foldChanges(database);
    expect(await usage.unfoldedMs()).toBe(0);
    await usage.requireFolding();
  });

  test('of other buckets don’t wait for one that is locked', async () => {
    const { database, bucketId, upload, makeBucket } = await open();
    const other = await makeBucket();
    for (const id of [bucketId, other]) await upload(id, BYTES);
    const usageOf = async (id: string) =>
      (await database.db.selectFrom('buckets').select('usage').where('id', '=', id).execute())[0];
    const [, second] = await database.overlap(
      () =>
        database.transaction(async (tx) => {
          await tx
            .selectFrom('buckets')
            .select('id')
            .where('id', '=', bucketId)
            .forUpdate()
            .execute();
        }),
      async () => {
        const folded = foldChanges(database);
        while ((await usageOf(other))?.usage !== BYTES) await Bun.sleep(1);
        await folded;
      },
    );
    expect(second.status).toBe('fulfilled');
    expect(await usageOf(bucketId)).toEqual({ usage: BYTES });
  });
});
