import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { DAY } from '../../contract/limits.ts';
import { openUsageFixture } from './testing/usage-fixture.ts';

const NOW = Date.UTC(2026, 10, 2);

await describeEachEngine('the days of an account', (open) => {
  test('add up what its newest buckets have sent and stored, and their requests, since a day, and nothing of another account', async () => {
    const fixture = await openUsageFixture(await open(), NOW);
    const { usage, buckets, userId, makeBucket, makeUser, upload, move } = fixture;
    const oldest = await makeBucket();
    const stranger = await makeUser('b@example.com');
    const foreign = (await buckets.create(stranger, { name: 'Foreign' })).id;
    await upload(oldest, 1);
    move(DAY);
    const newest = await makeBucket();
    for (const [id, bytes] of [
      [oldest, 10],
      [newest, 100],
      [foreign, 1000],
    ] as const) {
      const fileId = await upload(id, bytes);
      usage.counterOf(id, fileId)(bytes * 2);
      usage.requestCounterOf(id, 'f')(bytes === 10);
    }
    await usage.flush();
    const today = { day: NOW + DAY, stored: 110, bandwidth: 220, requests: 2 };
    const days = (from: number, maxBuckets: number) =>
      usage.accountDays(userId, { from, maxBuckets });
    expect(await days(NOW, 9)).toEqual([{ day: NOW, stored: 1, bandwidth: 0, requests: 0 }, today]);
    expect(await days(NOW + DAY, 9)).toEqual([today]);
    expect(await days(NOW, 1)).toEqual([
      { day: NOW + DAY, stored: 100, bandwidth: 200, requests: 1 },
    ]);
  });
});
