import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import type { CopySources } from '../../adapters/operator.ts';
import { newPaymentRow } from '../../features/billing/payments/checkout.ts';
import { createSettle } from '../../features/billing/payments/settle.ts';
import { insertPayment } from '../../features/billing/payments/store.ts';
import { post } from '../../features/billing/service.ts';
import { newId } from '../../platform/ids.ts';
import type { ProviderPayment, Reversal } from '../../platform/payments/port.ts';
import { checkLedger } from './ledger.ts';

const USD = 1_000_000;
const NOW = Date.parse('2026-03-01T10:00:00Z');

await describeEachEngine('the audit of the ledger', (open) => {
  /**
   * Sets up a user who paid 20 dollars, of which 5 were reversed, given back and reversed again.
   */
  const begin = async () => {
    const database = await open();
    const { db } = database;
    const [userId, id] = [newId(NOW), newId(NOW)];
    const address = `${userId}@example.com`;
    const user = { id: userId, email: address, email_key: address, password_hash: '' };
    await db
      .insertInto('users')
      .values({ ...user, status: 'active', created_at: NOW })
      .execute();
    await insertPayment(db, newPaymentRow(id, userId, 'stripe', 20 * USD, NOW));
    await insertPayment(db, newPaymentRow(newId(NOW), userId, 'stripe', 20 * USD, NOW));
    const settle = createSettle({ database, clock: () => NOW });
    const refund = (stands: boolean): Reversal[] => [
      { id: 're_1', kind: 'refund', amount: 5 * USD, stands },
    ];
    const say = (reversals: Reversal[]) =>
      settle(
        id,
        async (): Promise<ProviderPayment> => ({
          checkoutId: 'cs_1',
          state: 'paid',
          requested: { amount: 20 * USD, currency: 'USD' },
          received: 20 * USD,
          reference: 'pi_1',
          reversals,
          unknownStatuses: [],
        }),
      );
    for (const stands of [true, false, true]) await say(refund(stands));
    const listFindings = async () =>
      (await Array.fromAsync(checkLedger({ database } as CopySources))).map(
        ({ kind, subject, text }) => `${kind} ${subject}: ${text}`,
      );
    return { database, db, userId, id, say, listFindings };
  };

  test('finds nothing where balances, payments and entries agree', async () => {
    const { listFindings } = await begin();
    expect(await listFindings()).toEqual([]);
  });

  test('finds a balance that nobody posted, and months that do not come to it', async () => {
    const { db, userId, listFindings } = await begin();
    await db
      .updateTable('ledger_accounts')
      .set({ balance: 99 * USD })
      .execute();
    expect(await listFindings()).toEqual([
      `ledger ${userId}: the balance is 99 USD, the ledger has 15 USD`,
      `ledger ${userId}: the balance is 99 USD, its monthly totals add up to 15 USD`,
    ]);
    await db
      .updateTable('ledger_accounts')
      .set({ balance: 15 * USD })
      .execute();
    await db.deleteFrom('ledger_months').where('kind', '=', 'refund').execute();
    expect(await listFindings()).toEqual([
      `ledger ${userId}: the balance is 15 USD, its monthly totals add up to 25 USD`,
    ]);
  });

  test('finds a payment that says it was credited, or taken back, otherwise than it was', async () => {
    const { db, id, listFindings } = await begin();
    const change = (what: object) =>
      db.updateTable('payments').set(what).where('id', '=', id).execute();
    await change({ credited: 30 * USD });
    expect(await listFindings()).toEqual([
      `ledger ${id}: the payment credited 30 USD, the ledger has 20 USD`,
    ]);
    await change({ credited: 20 * USD, reversed: 0 });
    expect(await listFindings()).toEqual([
      `ledger ${id}: 0 USD of the payment were reversed, the ledger has 5 USD`,
    ]);
    await change({ reversed: 5 * USD, user_id: 'another' });
    expect(await listFindings()).toEqual([
      `ledger ${id}: the payment was credited to another account`,
    ]);
  });

  test('finds a payment that was never posted, and an entry of no payment', async () => {
    const { database, db, userId, id, listFindings } = await begin();
    await db
      .updateTable('payments')
      .set({ credited: 20 * USD })
      .where('id', '!=', id)
      .execute();
    expect(await listFindings()).toEqual([
      expect.stringContaining('the payment credited 20 USD, the ledger has 0 USD'),
    ]);
    await db.updateTable('payments').set({ credited: 0 }).where('id', '!=', id).execute();
    const ref = `stripe:payment:${newId(NOW)}`;
    await database.transaction((tx) =>
      post(tx, { userId, kind: 'payment', amount: 1, ref, at: NOW }),
    );
    expect(await listFindings()).toEqual([
      `ledger ${ref}: 0.000001 USD credited without a payment`,
    ]);
  });

  test('finds nothing in what is taken back from an account that is gone', async () => {
    const { db, userId, say, listFindings } = await begin();
    await db.deleteFrom('users').where('id', '=', userId).execute();
    await say([{ id: 're_2', kind: 'refund', amount: 7 * USD, stands: true }]);
    expect(await listFindings()).toEqual([]);
  });
});
