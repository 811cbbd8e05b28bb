import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import { DAY, GIB } from '../../../contract/limits.ts';
import { hourOf } from '../../usage/service.ts';
import { killedAt, openCharged } from '../testing/charged-fixture.ts';
import { AccountClosing } from './account-closing.ts';

const NEVER = new AbortController().signal;
const BUCKETS = 600;
/** Micro-USD for a GiB that is sent. */
const PRICE = 5_000;

await describeEachEngine('closing an account', (openDatabase) => {
  test('charges many buckets in several transactions, and each once over an interruption past midnight', async () => {
    const h = await openCharged(await openDatabase());
    const { database, clock, userId } = h;
    const use = {
      ...{ user_id: userId, hour: hourOf(clock()), bandwidth: GIB, uploaded: 0 },
      ...{ stored_change: 0, stored_gib_ms: 0, stored_byte_ms: 0 },
    };
    const rows = Array.from({ length: BUCKETS }, (_, n) => ({ ...use, bucket_id: `gone${n}` }));
    await database.db.insertInto('usage_hours').values(rows).execute();
    const charged = async () =>
      (await database.db.selectFrom('charge_days').select('bandwidth').execute()).map(
        ({ bandwidth }) => bandwidth,
      );

    const killed = new AccountClosing({ database: killedAt(database, 1), clock });
    await expect(killed.settle(userId, NEVER)).rejects.toThrow('killed');
    expect((await charged()).length).toBeGreaterThan(0);
    expect((await charged()).length).toBeLessThan(BUCKETS / 2);
    expect(await h.amounts()).toEqual([]);

    h.move(DAY);
    await h.closing.settle(userId, NEVER);
    await database.transaction((tx) => h.closing.close(tx, userId));
    expect(await charged()).toEqual(Array(BUCKETS).fill(PRICE));
    expect(await h.amounts()).toEqual([-BUCKETS * PRICE]);
    expect(await database.db.selectFrom('usage_hours').selectAll().execute()).toEqual([]);
    const named = database.db.selectFrom('billed_buckets').select('bucket_id');
    expect(await named.where('name', 'is', null).execute()).toEqual([]);
  });
});
