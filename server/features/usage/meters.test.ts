import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { describeOnPostgres } from '../../../tests/support/server/engines.ts';
import { dayOf } from './periods.ts';
import { openUsageFixture } from './testing/usage-fixture.ts';

const NOW = Date.parse('2025-05-05T10:00:00Z');

await describeOnPostgres('meters', (openDatabase) => {
  test('a deletion locks the days before what was sent of the file, as the writer of both does', async () => {
    const database = await openDatabase();
    const { makeBucket, upload, remove } = await openUsageFixture(database, NOW);
    const bucketId = await makeBucket();
    const fileId = await upload(bucketId, 1000);
    const { db } = database;
    const sent = { file_id: fileId, day: dayOf(NOW), bytes: 5 };
    await db.insertInto('file_bandwidth').values(sent).execute();
    const isWaiting = async () => {
      const { rows } = await sql`select 1 from pg_locks where not granted
        and pid in (select pid from pg_stat_activity where datname = current_database())`.execute(
        db,
      );
      return rows.length > 0;
    };
    let removal = Promise.resolve();
    await db.transaction().execute(async (tx) => {
      await tx.selectFrom('usage_days').select('day').forUpdate().execute();
      removal = remove(bucketId, fileId, 1000);
      while (!(await isWaiting())) await Bun.sleep(5);
      const rows = await tx.selectFrom('file_bandwidth').selectAll().forUpdate().noWait().execute();
      expect(rows).toEqual([sent]);
    });
    await removal;
    expect(await db.selectFrom('file_bandwidth').selectAll().execute()).toEqual([]);
  });
});
