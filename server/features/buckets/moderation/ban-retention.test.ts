import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import { DAY } from '../../../contract/limits.ts';
import { openCharged } from '../../billing/testing/charged-fixture.ts';

await describeEachEngine('the buckets of a banned account', (openDatabase) => {
  async function open() {
    const database = await openDatabase();
    const fixture = await openCharged(database);
    const bucketId = await fixture.makeBucket();
    const ban = (banned_at: number | null) =>
      database.db
        .updateTable('users')
        .set({ banned_at, status: banned_at === null ? 'active' : 'banned' })
        .where('id', '=', fixture.userId)
        .execute();
    const isKept = async () => {
      await fixture.buckets.banRetention.round();
      return (await fixture.buckets.byId(bucketId))?.status !== 'deleting';
    };
    return { ...fixture, ban, isKept };
  }

  test('are kept for 30 days and then deleted', async () => {
    const { ban, isKept, clock } = await open();
    await ban(clock() - 30 * DAY);
    expect(await isKept()).toBe(true);
    await ban(clock() - 30 * DAY - 1);
    expect(await isKept()).toBe(false);
    // What is being deleted is not found again.
    expect(await isKept()).toBe(false);
  });

  test('are kept when the ban is lifted', async () => {
    const { ban, isKept, clock } = await open();
    await ban(clock() - 90 * DAY);
    await ban(null);
    expect(await isKept()).toBe(true);
  });
});
