import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { DAY, GIB, HOUR, MIB } from '../../contract/limits.ts';
import { openCharged } from '../billing/testing/charged-fixture.ts';
import { listBuckets, listSortedAccounts } from './lists-store.ts';

const MONTH = 31 * DAY;

await describeEachEngine('a sorted list of the admin', (open) => {
  /** Three accounts: the first has two buckets, the second one, and the third none. */
  const filled = async () => {
    const h = await openCharged(await open());
    const { database, buckets } = h;
    const other = await h.makeUser('b@example.com');
    const idle = await h.makeUser('c@example.com');
    for (const id of [h.userId, idle]) {
      await database.db
        .insertInto('account_stats')
        .values({ user_id: id, stored: 0, month: 0, bandwidth: 0 })
        .execute();
    }
    const small = await h.makeBucket();
    const large = await h.makeBucket();
    const foreign = (await buckets.create(other, { name: 'Foreign' })).id;
    await h.upload(small, MIB);
    await h.upload(large, 3 * GIB);
    await h.upload(foreign, 2 * GIB);
    await h.send(small, 5 * GIB);
    await h.send(foreign, GIB);
    return { ...h, other, idle, small, large, foreign };
  };
  type Fixture = Awaited<ReturnType<typeof filled>>;

  const bucketIds = async (
    { database }: Fixture,
    filters: Parameters<typeof listBuckets>[1],
    limit = 2,
  ) => {
    const ids: string[] = [];
    for (let cursor: string | null = '0'; cursor !== null; ) {
      const page: Awaited<ReturnType<typeof listBuckets>> = await listBuckets(database, {
        ...filters,
        limit,
        cursor,
      });
      ids.push(...page.rows.map(({ id }) => id));
      cursor = page.next;
    }
    return ids;
  };
  const accountIds = async (
    { database }: Fixture,
    filters: Parameters<typeof listSortedAccounts>[1],
  ) => {
    const ids: string[] = [];
    for (let cursor: string | null = '0'; cursor !== null; ) {
      const page: Awaited<ReturnType<typeof listSortedAccounts>> = await listSortedAccounts(
        database,
        { ...filters, limit: 1, cursor },
      );
      ids.push(...page.rows.map(({ id }) => id));
      cursor = page.next;
    }
    return ids;
  };

  test('has the buckets that fill the disk or send most first, each once, whatever the pages', async () => {
    const h = await filled();
    await h.usage.flush();
    const { small, large, foreign, userId } = h;
    for (const limit of [1, 2, 50]) {
      expect(await bucketIds(h, { sort: 'usage' }, limit)).toEqual([large, foreign, small]);
      expect(await bucketIds(h, { sort: 'usage', order: 'asc' }, limit)).toEqual([
        small,
        foreign,
        large,
      ]);
      expect(await bucketIds(h, { sort: 'bandwidth' }, limit)).toEqual([small, foreign, large]);
    }
    expect(await bucketIds(h, { sort: 'usage', owner: userId }, 1)).toEqual([large, small]);
    expect((await bucketIds(h, { owner: userId }, 1)).sort()).toEqual([large, small].sort());
    expect(await bucketIds(h, { sort: 'bandwidth', name: 'FOREIGN' })).toEqual([foreign]);
    expect(await bucketIds(h, { sort: 'usage', to: '2026-01-29' })).toEqual([]);
  });

  test('has the accounts that fill the disk, send most, cost or owe most first', async () => {
    const h = await filled();
    const { userId, other, idle } = h;
    await h.usage.flush();
    expect(await accountIds(h, { sort: 'storage' })).toEqual([userId, other, idle]);
    expect(await accountIds(h, { sort: 'bandwidth' })).toEqual([userId, other, idle]);
    expect(await accountIds(h, { sort: 'storage', email: 'b@' })).toEqual([other]);
    expect(await accountIds(h, { sort: 'storage', active: 'false' })).toEqual([]);
    h.move(2 * HOUR);
    await h.charges.round();
    expect(await accountIds(h, { sort: 'spend' })).toEqual([userId, other]);
    expect(await accountIds(h, { sort: 'balance' })).toEqual([userId, other]);
    expect(await accountIds(h, { sort: 'balance', order: 'desc' })).toEqual([other, userId]);
    expect(await bucketIds(h, { sort: 'spend' })).toEqual([h.small, h.large, h.foreign]);
  });

  test('counts nothing of a month that is over, nor of what is deleted', async () => {
    const h = await filled();
    const { database, small, large, foreign, userId, other } = h;
    h.move(MONTH);
    await h.send(large, 1);
    const { rows } = await listBuckets(database, { sort: 'bandwidth' });
    expect(rows.map(({ id }) => id)).toEqual([large, small, foreign]);
    const [first] = await database.db
      .selectFrom('account_stats')
      .selectAll()
      .where('user_id', '=', userId)
      .execute();
    expect(first).toMatchObject({ month: Date.parse('2026-03-01'), bandwidth: 1 });

    await h.buckets.deletion.finish(large, async () => {});
    expect(await accountIds(h, { sort: 'storage' })).toEqual([other, userId, h.idle]);
    expect(await bucketIds(h, { sort: 'usage' })).toEqual([foreign, small]);
  });

  test('refuses a cursor of another order', async () => {
    const { database } = await filled();
    const { next } = await listBuckets(database, { sort: 'usage', limit: 1 });
    for (const sort of ['', 'bandwidth'] as const) {
      const list = listBuckets(database, { sort, cursor: next ?? '' });
      await expect(list).rejects.toThrow('cursor must be 0 or a nextId');
    }
  });
});
