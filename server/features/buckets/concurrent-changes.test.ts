import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { gated } from '../../../tests/support/server/gated-database.ts';
import type { Tx } from '../../platform/db/port.ts';
import { deriveKeys } from '../../platform/secrets/secrets.ts';
import { openCharged } from '../billing/testing/charged-fixture.ts';
import { setDisabled } from './webhooks/webhook-secret-store.ts';
import { Webhooks } from './webhooks/webhooks.ts';

const HOOK = 'https://example.com/hook';

await describeEachEngine('two changes of one bucket or account at once', (openDatabase) => {
  async function open() {
    const database = gated(await openDatabase());
    const fixture = await openCharged(database);
    const webhooks = new Webhooks({
      database,
      keys: deriveKeys('s'.repeat(32)),
      clock: fixture.clock,
      attempt: async () => {},
    });
    /** Runs `second` while a transaction that has done `first` is not yet committed. */
    const during = <Result>(first: (tx: Tx) => Promise<unknown>, second: () => Promise<Result>) =>
      database.overlap(() => database.transaction(first), second);
    const bucketOf = (id: string) =>
      database.db.selectFrom('buckets').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    return { ...fixture, database, webhooks, during, bucketOf };
  }

  test('an account that is being deleted gets no bucket', async () => {
    const { buckets, userId, during } = await open();
    const [, created] = await during(
      (tx) =>
        tx.updateTable('users').set({ status: 'deleting' }).where('id', '=', userId).execute(),
      () => buckets.create(userId, { name: 'Pictures' }),
    );
    expect(created).toMatchObject({ status: 'rejected', reason: { status: 401 } });
    expect((await buckets.ofAccount.totals(userId)).buckets).toBe(0);
  });

  test('an account that is being suspended gets no bucket', async () => {
    const { buckets, userId, during } = await open();
    const [, created] = await during(
      async (tx) => {
        const accounts = tx.updateTable('ledger_accounts').set({ delivery_until: 1 });
        await accounts.where('user_id', '=', userId).execute();
      },
      () => buckets.create(userId, { name: 'Pictures' }),
    );
    expect(created).toMatchObject({ status: 'rejected', reason: { code: 'payment-required' } });
  });

  test('a new name does not enable a webhook that is just disabled', async () => {
    const { buckets, userId, makeBucket, during, bucketOf } = await open();
    const id = await makeBucket();
    await buckets.settings.setNameAndWebhook(userId, id, { name: 'Pictures', webhook: HOOK });
    const [, change] = await during(
      (tx) => setDisabled(tx, id, HOOK, 7),
      () => buckets.settings.setNameAndWebhook(userId, id, { name: 'Photos', webhook: HOOK }),
    );
    expect(change.status).toBe('fulfilled');
    expect(await bucketOf(id)).toMatchObject({ name: 'Photos', webhook_disabled_at: 7 });
    await buckets.settings.setNameAndWebhook(userId, id, { name: 'Photos', webhook: `${HOOK}/2` });
    expect(await bucketOf(id)).toMatchObject({ webhook_disabled_at: null });
  });

  test('rules that two pages change at once are both kept', async () => {
    const { buckets, userId, makeBucket, database, bucketOf } = await open();
    const id = await makeBucket();
    await database.overlap(
      () => buckets.settings.setDeliveryRules(userId, id, { denied_ips: ['203.0.113.7'] }),
      () => buckets.settings.setDeliveryRules(userId, id, { requests_per_file: 5 }),
    );
    expect(JSON.parse((await bucketOf(id)).delivery_rules ?? '')).toMatchObject({
      denied_ips: ['203.0.113.7'],
      requests_per_file: 5,
    });
  });

  test('a bucket that is being deleted keeps its name', async () => {
    const { buckets, userId, makeBucket, during, bucketOf } = await open();
    const id = await makeBucket();
    const [, change] = await during(
      (tx) => buckets.deletion.start(tx, id, 'system'),
      () => buckets.settings.setNameAndWebhook(userId, id, { name: 'Photos', webhook: '' }),
    );
    expect(change).toMatchObject({ status: 'rejected', reason: { status: 409 } });
    expect((await bucketOf(id)).name).toBe('Pictures');
  });

  test('a webhook is tested once at a time', async () => {
    const { buckets, userId, makeBucket, webhooks, database } = await open();
    const id = await makeBucket();
    await buckets.settings.setNameAndWebhook(userId, id, { name: 'Pictures', webhook: HOOK });
    const send = () => webhooks.test(userId, id);
    const [first, second] = await database.overlap(send, send);
    expect(first.status).toBe('fulfilled');
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'too-many' } });
  });
});
