import { expect, test } from 'bun:test';
import { describeOnSqlite } from '../../../../tests/support/server/engines.ts';
import type { Database } from '../../../platform/db/port.ts';
import { grantCredit } from './credit.ts';

describeOnSqlite('a grant of credit', (open) => {
  const logOf = ({ db }: Database) =>
    db
      .selectFrom('audit_log')
      .select(['message', 'actor', 'actor_id', 'subject_id', 'details'])
      .where('action', '=', 'credit.granted')
      .orderBy('id')
      .execute();

  test('is posted and recorded once, whether an admin or an operator makes it', async () => {
    const database = await open();
    const byAdmin = { userId: 'u', amount: 2_500_000, id: '1', actor: { userId: 'admin' } };
    const byOperator = { userId: 'u', amount: -1, id: '1', actor: 'system' } as const;
    const balances = [];
    for (const grant of [byAdmin, byAdmin, byOperator]) {
      balances.push(await database.transaction((tx) => grantCredit(tx, grant, 1_000)));
    }
    expect(balances).toEqual([2_500_000, 2_500_000, 2_499_999]);
    expect(await logOf(database)).toEqual([
      {
        message: 'Credit of $2.50 granted to an account.',
        actor: 'user',
        actor_id: 'admin',
        subject_id: 'u',
        details: '{"usd":2.5,"grant":"1"}',
      },
      {
        message: 'Credit of $0.000001 deducted from an account.',
        actor: 'system',
        actor_id: null,
        subject_id: 'u',
        details: '{"usd":-0.000001,"grant":"1"}',
      },
    ]);
  });

  test('is refused where another amount has its id', async () => {
    const database = await open();
    const grant = { userId: 'u', amount: 1, id: '1', actor: { userId: 'admin' } };
    await database.transaction((tx) => grantCredit(tx, grant, 1_000));
    const other = database.transaction((tx) => grantCredit(tx, { ...grant, amount: 2 }, 1_000));
    await expect(other).rejects.toMatchObject({ status: 409 });
  });
});
