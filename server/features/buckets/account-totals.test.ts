import { expect, test } from 'bun:test';
import { seeded } from '../../../media/testing/mutations.ts';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { miscountedAccounts } from '../../cli/fsck/totals-store.ts';
import { holdings } from '../admin/store.ts';
import { openUsageFixture } from '../usage/testing/usage-fixture.ts';
import { bucketCounters } from './counters-store.ts';

const NOW = Date.UTC(2026, 10, 2);
const STEPS = 60;

await describeEachEngine('the totals of an account', (openDatabase) => {
  test('are the sums over its buckets, whatever happens to these at the same time', async () => {
    const fixture = await openUsageFixture(await openDatabase(), NOW);
    const { database, buckets, usage, userId, makeBucket, upload, remove } = fixture;
    const random = seeded(3);
    const pick = <Item>(items: Item[]) => items[Math.floor(random() * items.length)];
    const ids: string[] = [];
    const files: { bucketId: string; id: string; bytes: number }[] = [];

    async function step(): Promise<void> {
      const chance = random();
      const bucketId = pick(ids);
      if (!bucketId || chance < 0.2) return void ids.push(await makeBucket());
      const bytes = Math.floor(random() * 1000);
      if (chance < 0.7)
        return void files.push({ bucketId, id: await upload(bucketId, bytes), bytes });
      if (chance < 0.9) {
        const file = files.pop();
        return file && remove(file.bucketId, file.id, file.bytes);
      }
      ids.splice(ids.indexOf(bucketId), 1);
      for (const file of files.splice(0)) {
        if (file.bucketId !== bucketId) files.push(file);
      }
      await buckets.deletion.finish(bucketId);
    }
    // A bucket can be deleted before an upload into it is counted.
    const attempt = () => step().catch((error) => expect(error).toMatchObject({ status: 409 }));
    for (let n = 0; n < STEPS; n += 4) await Promise.all([1, 2, 3, 4].map(attempt));

    const rows = await database.db.selectFrom('buckets').select(bucketCounters).execute();
    const sum = (column: 'total_uploads' | 'usage') =>
      rows.reduce((total, row) => total + row[column], 0);
    const [inFiles, bytes] = [sum('total_uploads'), sum('usage')];
    expect(rows.length).toBeGreaterThan(1);
    expect(await buckets.ofAccount.totals(userId)).toEqual({
      ...{ buckets: rows.length, files: inFiles, bytes },
    });
    expect(await holdings(database.db)).toEqual({ files: inFiles, usage: bytes });
    await usage.flush();
    expect(await database.db.selectFrom('usage_changes').selectAll().execute()).toEqual([]);
    expect(await miscountedAccounts(database.db)).toEqual([]);
    expect(await holdings(database.db)).toEqual({ files: inFiles, usage: bytes });
    const stats = database.db.selectFrom('account_stats').select('stored');
    expect(await stats.execute()).toEqual([{ stored: bytes }]);
    await database.db.deleteFrom('users').where('id', '=', userId).execute();
    expect(await buckets.ofAccount.totals(userId)).toEqual({ buckets: 0, files: 0, bytes: 0 });
    expect(await stats.execute()).toEqual([]);
  });
});
