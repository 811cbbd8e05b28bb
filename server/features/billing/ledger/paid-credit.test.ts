import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import type { LedgerKind } from '../../../contract/money.ts';
import { up } from '../../../platform/db/migrations/0060_paid_credit.ts';
import { post } from './ledger.ts';
import { paidAfter } from './paid-credit.ts';

/** What happens to an account, and which part of its balance was paid after each step. */
const histories: [string, [LedgerKind, number, number][]][] = [
  ['a payment is paid', [['payment', 10, 10]]],
  [
    'granted credit is used first',
    [
      ['credit', 1, 0],
      ['payment', 10, 10],
      ['charge', -1, 10],
      ['charge', -4, 6],
      ['grant', 5, 6],
      ['charge', -3, 6],
    ],
  ],
  [
    'a deducted grant takes what was granted first',
    [
      ['payment', 10, 10],
      ['grant', 2, 10],
      ['grant', -5, 7],
    ],
  ],
  [
    'a refund takes what was paid, and its reversal brings it back',
    [
      ['grant', 5, 0],
      ['payment', 10, 10],
      ['refund', -4, 6],
      ['dispute', -10, 0],
      ['reversal', 10, 10],
    ],
  ],
  [
    'a payment covers a debt first',
    [
      ['charge', -4, 0],
      ['payment', 10, 6],
    ],
  ],
  [
    'nothing is left of a closed account',
    [
      ['payment', 10, 10],
      ['forfeit', -10, 0],
    ],
  ],
];

for (const [what, steps] of histories) {
  test(what, () => {
    let [balance, paid] = [0, 0];
    for (const [kind, amount, expected] of steps) {
      balance += amount;
      paid = paidAfter(paid, { kind, amount, balance });
      expect([kind, amount, paid]).toEqual([kind, amount, expected]);
    }
  });
}

await describeEachEngine('the paid part of a balance', (openDatabase) => {
  const setUp = async () => {
    const database = await openDatabase();
    let refs = 0;
    const play = async (userId: string, steps: [LedgerKind, number, number][]) => {
      for (const [kind, amount] of steps) {
        refs += 1;
        const posting = { userId, kind, amount, ref: `r${refs}`, at: refs };
        await database.transaction((tx) => post(tx, posting));
      }
    };
    const paid = async () => {
      const accounts = database.db.selectFrom('ledger_accounts').select(['user_id', 'paid']);
      return Object.fromEntries((await accounts.execute()).map((row) => [row.user_id, row.paid]));
    };
    return { database, play, paid };
  };
  const expected = Object.fromEntries(
    histories.map(([what, steps]) => [what, steps.at(-1)?.[2] ?? 0]),
  );

  test('is kept with each entry', async () => {
    const { play, paid } = await setUp();
    for (const [what, steps] of histories) await play(what, steps);
    expect(await paid()).toEqual(expected);
  });

  test('is computed for ledgers from before it was kept', async () => {
    const { database, play, paid } = await setUp();
    for (const [what, steps] of histories) await play(what, steps);
    await database.db.schema.alterTable('ledger_accounts').dropColumn('paid').execute();
    await database.db.schema.alterTable('ledger_entries').dropColumn('paid').execute();
    await up(database.db as never);
    expect(await paid()).toEqual(expected);
  });
});
