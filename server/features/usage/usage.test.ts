import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { describeEachEngine, describeOnPostgres } from '../../../tests/support/server/engines.ts';
import { DAY, HOUR, KIB, MINUTE } from '../../contract/limits.ts';
import type { Database, Tx } from '../../platform/db/port.ts';
import { newId, timeOf } from '../../platform/ids.ts';
import { foldOldDays } from './old-days-store.ts';
import { byteMsOf, dayOf } from './periods.ts';
import { openUsageFixture, type UsageFixture } from './testing/usage-fixture.ts';

const START = Date.parse('2026-03-31T22:30:00.000Z');

/** Inserts the row of a file that was uploaded. */
const insertFile = ({ database }: UsageFixture, bucketId: string, id: string) =>
  database.db
    .insertInto('files')
    .values({
      id,
      bucket_id: bucketId,
      name: 'a',
      path: id,
      content_type: 'image/jpeg',
      size: 1000,
      file_type: 'image',
      access: 'public',
      stored_bytes: 1000,
      created_at: START,
    } as never)
    .execute();

/** Commits every transaction and then fails, as if the connection broke before COMMIT was answered. */
function loseConfirmations(database: Database) {
  const { transaction } = database;
  database.transaction = async (work) => {
    await transaction(work);
    throw new Error('The database is not responding.');
  };
  return { stop: () => Object.assign(database, { transaction }) };
}

await describeEachEngine('usage', (open) => {
  const openFixture = async (startAt = START) => openUsageFixture(await open(), startAt);
  const valuesOf = async (
    { usage }: Awaited<ReturnType<typeof openFixture>>,
    id: string,
    chartType: 'disk-all' | 'disk-active' | 'bandwidth',
  ) =>
    (await usage.chart(id, { chartType, unit: 'Bytes', from: '2026-03-30' })).stats.map(
      ({ data }) => data,
    );

  test('a deleted file stays in the days on which it existed, and leaves those of the active ones', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    const first = await h.upload(id, 100);
    await h.upload(id, 10);
    h.move(DAY);
    await h.grow(id, first, 50);
    h.move(DAY);
    await h.remove(id, first, 150);
    h.move(DAY);
    expect(await valuesOf(h, id, 'disk-all')).toEqual([0, 110, 160, 160, 10]);
    expect(await valuesOf(h, id, 'disk-active')).toEqual([0, 10, 10, 10, 10]);
  });

  test('a file whose upload ended after midnight counts from the day on which it ended', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    const startedAt = h.clock();
    h.move(DAY);
    const file = await h.upload(id, 100, startedAt);
    h.move(DAY);
    expect(await valuesOf(h, id, 'disk-active')).toEqual([0, 0, 100, 100]);
    await h.grow(id, file, -30);
    await h.remove(id, file, 70);
    expect(await valuesOf(h, id, 'disk-all')).toEqual([0, 0, 100, 70]);
    expect(await valuesOf(h, id, 'disk-active')).toEqual([0, 0, 0, 0]);
  });

  test('a file whose first day an earlier version has written down counts once', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    const file = await h.upload(id, 100);
    const firstDay = { file_id: file, day: dayOf(h.clock()), bytes: 100 };
    await h.database.db.insertInto('file_growth').values(firstDay).execute();
    await h.grow(id, file, 20);
    h.move(DAY);
    await h.grow(id, file, 5);
    expect(await valuesOf(h, id, 'disk-active')).toEqual([0, 120, 125]);
    await h.remove(id, file, 125);
    expect(await valuesOf(h, id, 'disk-active')).toEqual([0, 0, 0]);
  });

  test('a file that came and went on one day counts on that day', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    await h.remove(id, await h.upload(id, 100), 100);
    h.move(DAY);
    expect(await valuesOf(h, id, 'disk-all')).toEqual([0, 100, 0]);
    expect(await valuesOf(h, id, 'disk-active')).toEqual([0, 0, 0]);
  });

  test('a file counts on the day that it is deleted on, to the millisecond, and on no later one', async () => {
    const midnight = Date.parse('2026-04-01T00:00:00.000Z');
    const h = await openFixture(midnight - 2);
    const [newer, older] = [await h.makeBucket(), await h.makeBucket()];
    const last = await h.upload(newer, 100);
    const first = await h.upload(older, 100);
    h.move(1);
    await h.remove(newer, last, 100);
    h.move(1);
    await h.remove(older, first, 100);
    const fileId = await h.upload(newer, 7);
    h.move(DAY);
    await h.grow(newer, fileId, 2);
    expect(await valuesOf(h, newer, 'disk-all')).toEqual([0, 100, 7, 9]);
    expect(await valuesOf(h, newer, 'disk-active')).toEqual([0, 0, 7, 9]);
    expect(await valuesOf(h, older, 'disk-all')).toEqual([0, 100, 100, 0]);
    expect(await valuesOf(h, older, 'disk-active')).toEqual([0, 0, 0, 0]);
  });

  test('what is sent around midnight belongs to the day on which it was sent', async () => {
    const h = await openFixture(Date.parse('2026-03-31T23:59:59.900Z'));
    const id = await h.makeBucket();
    const file = await h.upload(id, 1);
    h.usage.counterOf(id, file)(5);
    h.move(200);
    h.usage.counterOf(id, file)(7);
    await h.usage.flush();
    expect(await valuesOf(h, id, 'bandwidth')).toEqual([0, 5, 7]);
    expect((await h.buckets.get(h.userId, id)).bandwidth).toBe(7);
    expect(await h.usage.fileBandwidth(file)).toEqual({ month: 7, total: 12 });
  });

  test('what could not be written is kept and written once', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    h.usage.counterOf(id, 'f')(5);
    await sql`alter table file_bandwidth rename to away`.execute(h.database.db);
    await expect(h.usage.flush()).rejects.toThrow();
    h.usage.counterOf(id, 'f')(6);
    await sql`alter table away rename to file_bandwidth`.execute(h.database.db);
    await Promise.all([h.usage.flush(), h.usage.flush()]);
    expect(await valuesOf(h, id, 'bandwidth')).toEqual([0, 11]);
  });

  test('bytes whose commit was not confirmed count once, also when the hour has passed meanwhile', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    const losing = loseConfirmations(h.database);
    h.usage.counterOf(id, 'f')(5);
    await expect(h.usage.flush()).rejects.toThrow('not responding');
    h.usage.counterOf(id, 'f')(6);
    await expect(h.usage.flush()).rejects.toThrow('not responding');
    h.move(2 * HOUR);
    losing.stop();
    await h.usage.flush();
    await h.usage.flush();
    expect(await valuesOf(h, id, 'bandwidth')).toEqual([0, 5, 6]);
    expect((await h.hours(id)).reduce((sum, { bandwidth }) => sum + bandwidth, 0)).toBe(11);
    expect((await h.usage.fileBandwidth('f')).total).toBe(11);
  });

  test('a row for each process tells what is written, until a week after its last write', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    const numbers = async () =>
      (await h.database.db.selectFrom('usage_flushes').select('number').execute()).map(
        ({ number }) => number,
      );
    for (let n = 0; n < 3; n += 1) {
      h.usage.counterOf(id, 'f')(1);
      await h.usage.flush();
    }
    expect(await numbers()).toEqual([3]);
    h.move(6 * DAY);
    await h.usage.tidy();
    expect(await numbers()).toEqual([3]);
    h.move(2 * DAY);
    await h.usage.tidy();
    expect(await numbers()).toEqual([]);
  });

  test('bytes that come after their hour may be charged belong to the current one', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    await h.upload(id, 1);
    h.usage.counterOf(id, 'f')(5);
    h.move(HOUR + 2 * MINUTE);
    await h.usage.flush();
    const hours = await h.hours(id);
    expect(hours.map(({ bandwidth, uploaded }) => [bandwidth, uploaded])).toEqual([
      [0, 1],
      [5, 0],
    ]);
    expect((hours[1]?.hour ?? 0) - (hours[0]?.hour ?? 0)).toBe(HOUR);
  });

  test('nothing is written while nothing changes, and a change says what it adds from then on', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    const file = await h.upload(id, 1000);
    h.move(3 * DAY);
    await h.usage.tidy();
    await h.remove(id, file, 1000);
    const changes = (await h.hours(id)).map((row) => [row.stored_change, Number(byteMsOf(row))]);
    expect(changes).toEqual([
      [1000, 1000 * 30 * MINUTE],
      [-1000, -1000 * 30 * MINUTE],
    ]);
  });

  test('a deleted bucket stores nothing any more', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    await h.upload(id, 1000);
    h.move(10 * MINUTE);
    await h.buckets.deletion.finish(id);
    const [hour] = await h.hours(id);
    expect([hour?.stored_change, hour && byteMsOf(hour)]).toEqual([0, BigInt(1000 * 10 * MINUTE)]);
    h.move(DAY);
    expect((await valuesOf(h, id, 'disk-all')).at(-1)).toBe(0);
  });

  test('a download that goes on after its bucket is deleted counts for the owner', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    const file = await h.upload(id, 1);
    await h.buckets.deletion.finish(id);
    h.usage.counterOf(id, file)(5);
    await h.usage.flush();
    expect(await h.hours(id)).toMatchObject([{ user_id: h.userId, bandwidth: 5 }]);
    expect(h.usage.takeActiveAccounts()).toEqual([h.userId]);
    expect(h.usage.takeActiveAccounts()).toEqual([]);
  });

  test('old days become one row, and the later ones stay what they were', async () => {
    const h = await openFixture();
    const { database } = h;
    const [id, deletedId] = [await h.makeBucket(), await h.makeBucket()];
    const file = await h.upload(id, 1000);
    await insertFile(h, id, file);
    await h.upload(deletedId, 70);
    for (let day = 0; day < 20; day += 1) {
      h.usage.counterOf(id, file)(1);
      h.usage.counterOf(id, newId(h.clock()))(1);
      await h.usage.flush();
      await h.grow(id, file, 1);
      h.move(50 * DAY);
    }
    await h.buckets.deletion.finish(deletedId);
    const chart = () => h.usage.chart(id, { unit: 'Bytes', from: '2028-01-01', to: '2028-12-31' });
    const before = await chart();
    // By two processes at once, and again.
    await Promise.all([foldOldDays(database, h.clock()), foldOldDays(database, h.clock())]);
    await foldOldDays(database, h.clock());
    expect(await chart()).toEqual(before);
    expect(before.usage).toBe(1020);
    const rows = async (table: 'usage_days' | 'file_bandwidth' | 'file_growth' | 'usage_hours') =>
      (
        await database.db
          .selectFrom(table)
          .select('day' as never)
          .execute()
          .catch(() => [])
      ).length;
    expect(await rows('usage_days')).toBe(1 + 16 + 2);
    expect(await rows('file_bandwidth')).toBe(1 + 2);
    expect((await h.usage.fileBandwidth(file)).total).toBe(20);
    await h.remove(id, file, 1020);
    const { stats } = await h.usage.chart(id, { unit: 'Bytes', chartType: 'disk-active' });
    expect(stats.map(({ data }) => data)).toEqual(stats.map(() => 0));
    h.move(900 * DAY);
    await foldOldDays(database, h.clock());
    const remaining = await database.db.selectFrom('usage_days').select('bucket_id').execute();
    expect(remaining.map((row) => row.bucket_id)).toEqual([id]);
  });

  test('two at once lose nothing', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    const file = await h.upload(id, 1000);
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        await h.grow(id, file, KIB);
        h.usage.counterOf(id, file)(index);
        await h.usage.flush();
      }),
    );
    const bucket = await h.buckets.get(h.userId, id);
    expect(bucket).toMatchObject({ usage: 1000 + 20 * KIB, bandwidth: 190 });
    expect((await valuesOf(h, id, 'disk-all')).at(-1)).toBe(1000 + 20 * KIB);
  });
});

await describeOnPostgres('old days', (open) => {
  const tables = ['file_bandwidth', 'file_growth'] as const;
  test.each(tables)(
    'in %s are gone with a file that is deleted while they become one row',
    async (table) => {
      const h = await openUsageFixture(await open(), START);
      const { database } = h;
      const { db } = database;
      const id = await h.makeBucket();
      const file = await h.upload(id, 1000);
      await insertFile(h, id, file);
      h.usage.counterOf(id, file)(5);
      await h.usage.flush();
      h.move(DAY);
      await h.grow(id, file, 20);
      h.move(900 * DAY);
      const isWaiting = async () => {
        const { rows } = await sql`select 1 from pg_locks where not granted
        and pid in (select pid from pg_stat_activity where datname = current_database())`.execute(
          db,
        );
        return rows.length > 0;
      };
      let deletion: Promise<void> | null = null;
      const isFolded = async (tx: Tx) =>
        (await tx.selectFrom(table).select('day').where('day', '=', 0).execute()).length > 0;
      const folding = {
        ...database,
        transaction: <Result>(work: (tx: Tx) => Promise<Result>) =>
          database.transaction(async (tx) => {
            const result = await work(tx);
            if (deletion || !(await isFolded(tx))) return result;
            deletion = database.transaction(async (other) => {
              await other.deleteFrom('files').where('id', '=', file).execute();
              const removed = { fileId: file, bytes: 1020, createdAt: timeOf(file) };
              await h.buckets.contents.remove(other, id, removed);
            });
            while (!(await isWaiting())) await Bun.sleep(5);
            return result;
          }),
      };
      await foldOldDays(folding, h.clock());
      await deletion;
      expect(deletion).not.toBeNull();
      for (const one of tables) expect(await db.selectFrom(one).selectAll().execute()).toEqual([]);
      await h.usage.flush();
      const kept = db
        .selectFrom('usage_days')
        .select(({ fn }) => fn.sum<number>('kept').as('kept'));
      expect(await kept.executeTakeFirst()).toEqual({ kept: 0 });
    },
  );
});
