import { expect, test } from 'bun:test';
import { describeOnSqlite } from '../../../../tests/support/server/engines.ts';
import { DAY } from '../../../contract/limits.ts';
import { dayOf } from '../../usage/service.ts';
import { openCharged, START } from '../testing/charged-fixture.ts';
import { costsOf } from './costs.ts';
import { inMicroUsd } from './pricing.ts';

const PRICES = inMicroUsd({ storage: 0.03, bandwidth: 0.005, upload: 0.005 });

describeOnSqlite('the current rate', (openDatabase) => {
  /** Returns the rate of an account that was charged these amounts, by how many days ago. */
  async function rateAfter(charges: Record<number, number>) {
    const { database, userId } = await openCharged(await openDatabase());
    const rows = Object.entries(charges).map(([ago, storage]) => ({
      ...{ user_id: userId, bucket_id: 'b', storage, bandwidth: 0, upload: 0 },
      day: dayOf(START) - Number(ago) * DAY,
    }));
    if (rows.length > 0) await database.db.insertInto('charge_days').values(rows).execute();
    return (await costsOf(database.db, userId, START, PRICES)).recent;
  }

  test.each([
    ['nothing was charged', {}, null],
    ['the last charge is too old', { 8: 900_000 }, null],
    ['only nothing was charged', { 1: 0, 2: 0 }, null],
    ['yesterday was the first day', { 1: 70_000 }, { days: 1, per_day: 0.07 }],
    ['a day between had no charge', { 1: 30_000, 3: 30_000 }, { days: 3, per_day: 0.02 }],
    ['there are more than seven days', { 1: 7, 7: 70_000, 8: 9e6 }, { days: 7, per_day: 0.010001 }],
  ])('where %s', async (_what, charges, rate) => {
    expect(await rateAfter(charges)).toEqual(rate);
  });
});
