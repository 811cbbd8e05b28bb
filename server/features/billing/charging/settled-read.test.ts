import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import { DAY, GIB } from '../../../contract/limits.ts';
import { toUsd } from '../../../contract/money.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { listStatements } from '../statements/statements.ts';
import { openCharged, PRICES } from '../testing/charged-fixture.ts';
import { costsOf } from './costs.ts';
import { inMicroUsd } from './pricing.ts';

/** More statements than one reading takes, so that a charge is posted after each of them once. */
const STATEMENTS = 12;

await describeEachEngine('a charge that is posted while amounts are read', (openDatabase) => {
  /** Opens an account with two days to charge, and an executor that charges them after its `n`-th statement. */
  async function chargedAfter(n: number) {
    const h = await openCharged(await openDatabase());
    h.move(2 * DAY);
    const bucketId = await h.makeBucket();
    await h.upload(bucketId, 144 * GIB);
    h.move(3 * DAY);
    let statements = 0;
    const db: Executor = h.database.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        statements += 1;
        if (statements === n) await h.charges.round();
        return result;
      },
    });
    return { ...h, db };
  }

  test('is in a statement once', async () => {
    for (let n = 1; n <= STATEMENTS; n += 1) {
      const h = await chargedAfter(n);
      const expected = -toUsd(await h.balance());
      const months = await listStatements(h.db, h.userId, h.clock());
      const charged = months.reduce((sum, month) => sum + month.charged, 0);
      expect([n, charged]).toEqual([n, expected]);
    }
  });

  test('is in the costs of the month once', async () => {
    for (let n = 1; n <= STATEMENTS; n += 1) {
      const h = await chargedAfter(n);
      const expected = -toUsd(await h.balance());
      const costs = await costsOf(h.db, h.userId, h.clock(), inMicroUsd(PRICES));
      expect([n, costs.so_far.total]).toEqual([n, expected]);
    }
  });
});
