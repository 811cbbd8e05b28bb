import { expect, test } from 'bun:test';
import { describeEachEngine, type OpenDatabase } from '../../../tests/support/server/engines.ts';
import { DAY, GIB } from '../../contract/limits.ts';
import { openUsageFixture } from './testing/usage-fixture.ts';

const START = Date.parse('2026-11-23T10:00:00Z');
const DECEMBER = Date.parse('2026-12-01T00:00:00Z');

async function open(openDatabase: OpenDatabase) {
  const fixture = await openUsageFixture(await openDatabase(), START);
  const { usage, buckets, userId, mails } = fixture;
  const id = await fixture.makeBucket();
  const changes: unknown[] = [];
  fixture.events.subscribe('buckets', (payload) => changes.push(payload));
  return {
    ...fixture,
    id,
    changes,
    limit: (limit: number | null) => buckets.settings.setBandwidthLimits(userId, id, { limit }),
    limitDay: (daily_limit: number | null) =>
      buckets.settings.setBandwidthLimits(userId, id, { daily_limit }),
    send: async (bytes: number, bucketId = id) => {
      usage.counterOf(bucketId, 'f')(bytes);
      await usage.flush();
    },
    subjects: () => mails.map(({ subject }) => subject),
    stoppedUntil: async (bucketId = id) =>
      (await buckets.byId(bucketId))?.delivery_stopped_until ?? null,
  };
}

await describeEachEngine('a bandwidth limit', (openDatabase) => {
  test('warns once at 50% and 80%, and stops the bucket at 100% until the month ends', async () => {
    const { limit, send, subjects, stoppedUntil, changes, mails, id } = await open(openDatabase);
    await limit(10 * GIB);
    changes.length = 0;
    await send(4 * GIB);
    expect(subjects()).toEqual([]);
    await send(GIB);
    await send(2 * GIB);
    await send(GIB);
    await send(GIB);
    expect(subjects()).toEqual([
      'Bucket “Pictures” has used 50% of its monthly bandwidth limit',
      'Bucket “Pictures” has used 80% of its monthly bandwidth limit',
    ]);
    expect([await stoppedUntil(), changes]).toEqual([null, []]);
    await send(GIB);
    await send(1);
    expect(subjects().slice(2)).toEqual([
      'Bucket “Pictures” has reached its monthly bandwidth limit: delivery has stopped',
    ]);
    expect([await stoppedUntil(), changes]).toEqual([DECEMBER, [{ bucketId: id }]]);
    expect(mails[0]?.to).toBe('a@example.com');
    expect(mails[1]?.text).toContain('8.00 GiB of its limit of 10.00 GiB');
    expect(mails[2]?.text).toContain('01/12/2026 00:00 UTC');
    expect(mails[2]?.text).toContain(`https://wharf.example/dashboard/settings/${id}`);
  });

  test('of a day stops the bucket until the day ends, and leaves that of the month as it is', async () => {
    const { limit, limitDay, send, move, subjects, stoppedUntil } = await open(openDatabase);
    await limit(10 * GIB);
    expect(await limitDay(GIB)).toMatchObject({
      bandwidth_limit: 10 * GIB,
      bandwidth_daily_limit: GIB,
    });
    await send(GIB);
    expect(await stoppedUntil()).toBe(Date.parse('2026-11-24T00:00:00Z'));
    expect(subjects()).toEqual([
      'Bucket “Pictures” has reached its daily bandwidth limit: delivery has stopped',
    ]);
    move(DAY);
    await send(GIB - 1);
    expect(await stoppedUntil()).toBeNull();
    await limitDay(null);
    await send(8 * GIB + 1);
    expect(await stoppedUntil()).toBe(DECEMBER);
  });

  test('counts each month and each bucket by itself', async () => {
    const { limit, send, move, subjects, stoppedUntil, makeBucket } = await open(openDatabase);
    const other = await makeBucket();
    await limit(GIB);
    await send(5 * GIB, other);
    await send(GIB);
    expect([await stoppedUntil(), await stoppedUntil(other)]).toEqual([DECEMBER, null]);
    move(10 * DAY);
    await send(GIB - 1);
    await send(1);
    expect(subjects()).toHaveLength(3);
    expect(await stoppedUntil()).toBe(Date.parse('2027-01-01T00:00:00Z'));
  });

  test('that is raised or removed resumes delivery at once, and one that is too low stops it', async () => {
    const { limit, send, subjects, stoppedUntil, changes } = await open(openDatabase);
    await send(5 * GIB);
    expect(await limit(5 * GIB)).toMatchObject({
      bandwidth_limit: 5 * GIB,
      bandwidth: 5 * GIB,
    });
    expect(await stoppedUntil()).toBe(DECEMBER);
    await limit(6 * GIB);
    expect(await stoppedUntil()).toBeNull();
    await send(GIB);
    expect(await stoppedUntil()).toBe(DECEMBER);
    await limit(null);
    await send(GIB);
    expect(await stoppedUntil()).toBeNull();
    // The owner knows where the limit is that they have just set.
    expect(subjects()).toHaveLength(1);
    expect(changes).toHaveLength(4);
  });

  test('sends no mail to somebody whose account is banned', async () => {
    const { database, limit, send, subjects, stoppedUntil } = await open(openDatabase);
    await limit(GIB);
    await database.db.updateTable('users').set({ status: 'banned' }).execute();
    await send(GIB);
    expect([subjects(), await stoppedUntil()]).toEqual([[], DECEMBER]);
  });
});
