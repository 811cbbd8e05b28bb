import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { describeOnPostgres } from '../../../tests/support/server/engines.ts';
import { openUsageFixture } from './testing/usage-fixture.ts';

const NOW = Date.parse('2025-05-05T10:00:00Z');

await describeOnPostgres('meters', (openDatabase) => {
  test('uploads and deletions wait for nobody who changes the counters of their bucket and account', async () => {
    const database = await openDatabase();
    const { makeBucket, upload, grow, remove, usage } = await openUsageFixture(database, NOW);
    const bucketId = await makeBucket();
    const earlier = await upload(bucketId, 1000);
    await usage.flush();
    await database.db.transaction().execute(async (tx) => {
      await tx.selectFrom('users').select('id').forNoKeyUpdate().execute();
      await tx.selectFrom('buckets').select('id').forNoKeyUpdate().execute();
      for (const table of ['account_totals', 'usage_hours', 'usage_days'] as const) {
        const { rows } = await sql`select 1 from ${sql.table(table)} for update`.execute(tx);
        expect(rows).not.toEqual([]);
      }
      const fileId = await upload(bucketId, 5);
      await grow(bucketId, fileId, 7);
      await remove(bucketId, earlier, 1000);
    });
    const counters = database.db.selectFrom('buckets').select(['usage', 'total_uploads']);
    expect(await counters.executeTakeFirst()).toEqual({ usage: 1000, total_uploads: 1 });
    await usage.flush();
    expect(await counters.executeTakeFirst()).toEqual({ usage: 12, total_uploads: 1 });
  });
});
