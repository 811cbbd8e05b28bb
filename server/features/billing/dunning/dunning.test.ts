import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import { DAY } from '../../../contract/limits.ts';
import { BUCKET_EVENTS } from '../../buckets/service.ts';
import { openCharged, START } from '../testing/charged-fixture.ts';
import { Dunning } from './dunning.ts';

await describeEachEngine('the review of an account', (open) => {
  test('wakes the deletion of its buckets, and tells the caches of them', async () => {
    const h = await openCharged(await open());
    const { database, buckets, events, userId, woken } = h;
    const { id } = await buckets.create(userId, { name: 'Pictures' });
    const dunning = new Dunning({
      ...h,
      queue: { wake() {} } as never,
      enqueueMail: async () => '',
      addressOf: async () => 'a@example.com',
      takesPayments: true,
      creditLimit: 0,
      appUrl: '',
      onError(error) {
        throw error;
      },
    });
    const published: unknown[] = [];
    events.subscribe(BUCKET_EVENTS, (event) => published.push(event));
    const debt = { below_since: START - 60 * DAY, delivery_until: START, notices: 2 };
    const account = database.db.updateTable('ledger_accounts').where('user_id', '=', userId);
    await account.set({ ...debt, balance: -1_000_000, delete_at: START + DAY }).execute();
    await dunning.review(userId);
    expect([(await buckets.byId(id))?.status, woken]).toEqual(['suspended', []]);
    await account.set({ delete_at: START - 1 }).execute();
    await dunning.review(userId);
    expect([(await buckets.byId(id))?.status, woken]).toEqual(['deleting', ['delete-bucket']]);
    expect(published.at(-1)).toEqual({ userId });
  });
});
