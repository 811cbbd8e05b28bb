import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import { newId } from '../../../platform/ids.ts';
import type { ProviderPayment } from '../../../platform/payments/port.ts';
import { balanceOf } from '../ledger/ledger-store.ts';
import { newPaymentRow } from './checkout.ts';
import { createSettle } from './settle.ts';
import * as store from './store.ts';

const USD = 1_000_000;
const NOW = Date.parse('2026-03-01T10:00:00Z');

const paid = (checkoutId: string, change: Partial<ProviderPayment> = {}): ProviderPayment => ({
  checkoutId,
  state: 'paid',
  requested: { amount: 20 * USD, currency: 'USD' },
  received: 20 * USD,
  reference: `pi_${checkoutId}`,
  reversals: null,
  unknownStatuses: [],
  ...change,
});

await describeEachEngine('settling', (open) => {
  const begin = async () => {
    const database = await open();
    const { db } = database;
    const settleBy = createSettle({ database, clock: () => NOW });
    const settle = (id: string, reported: ProviderPayment) => settleBy(id, async () => reported);
    const userId = newId(NOW);
    await db
      .insertInto('users')
      .values({
        id: userId,
        email: `${userId}@example.com`,
        email_key: `${userId}@example.com`,
        password_hash: '',
        status: 'active',
        created_at: NOW,
      })
      .execute();
    const payment = async (provider: 'stripe' | 'cryptomus' = 'stripe') => {
      const id = newId(NOW);
      await store.insertPayment(db, {
        ...newPaymentRow(id, userId, provider, 20 * USD, NOW),
        expires_at: NOW,
        ask_at: NOW,
      });
      return id;
    };
    return { db, settle, settleBy, userId, payment, balance: () => balanceOf(db, userId) };
  };

  test('the audit log has each credit and each reversal once, and what is owed back, and no address', async () => {
    const { settle, payment, userId, db } = await begin();
    const refund = { id: 're_9', kind: 'refund', amount: 5 * USD, stands: true } as const;
    const id = await payment();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await settle(id, paid('cs_9'));
      await settle(id, paid('cs_9', { reversals: [refund] }));
      await settle(id, paid('cs_9', { reversals: [{ ...refund, stands: false }] }));
    }
    const euro = { amount: 20 * USD, currency: 'EUR' };
    await settle(await payment(), paid('cs_10', { requested: euro }));
    await settle(await payment(), paid('cs_11', { state: 'expired', received: 0 }));
    const rows = await db
      .selectFrom('audit_log')
      .selectAll()
      .where('subject_id', '=', userId)
      .orderBy('id')
      .execute();
    expect(rows.map(({ action, message }) => `${action}: ${message}`)).toEqual([
      'payment.credited: Payment of $20.00 credited.',
      'payment.reversed: $5.00 of a payment reversed.',
      'payment.restored: $5.00 of a reversed payment credited again.',
      'payment.reversed: $5.00 of a payment reversed.',
      'payment.restored: $5.00 of a reversed payment credited again.',
      'payment.owed-back: Payment of $20.00 not credited; refund due.',
    ]);
    expect(JSON.stringify(rows)).not.toContain('@');
  });

  test('what can not be given back to an account that is gone is owed again, and the log says so', async () => {
    const { settle, payment, userId, db } = await begin();
    await db.deleteFrom('users').where('id', '=', userId).execute();
    const id = await payment();
    const refund = { id: 're_1', kind: 'refund', amount: 20 * USD } as const;
    for (const stands of [true, false]) {
      await settle(id, paid('cs_1', { reversals: [{ ...refund, stands }] }));
    }
    expect((await store.paymentById(db, id))?.refund_due).toBe(20 * USD);
    const rows = await db.selectFrom('audit_log').select('action').orderBy('id').execute();
    expect(rows.map(({ action }) => action)).toEqual(['payment.owed-back', 'payment.owed-back']);
  });

  test('what is taken back of a payment after its account has gone is in the ledger, and asks for no look at it', async () => {
    const { settle, payment, userId, db, balance } = await begin();
    const id = await payment();
    await settle(id, paid('cs_1'));
    await db.deleteFrom('users').where('id', '=', userId).execute();
    const closed = { closed_at: NOW, review_at: null };
    await db.updateTable('ledger_accounts').set(closed).execute();
    const dispute = { id: 'dp_1', kind: 'dispute', amount: 20 * USD, stands: true } as const;
    await settle(id, paid('cs_1', { reversals: [dispute] }));
    expect(await balance()).toBe(0);
    const { review_at } = await db
      .selectFrom('ledger_accounts')
      .select('review_at')
      .executeTakeFirstOrThrow();
    expect(review_at).toBeNull();
  });

  test('many at once credit once, and the reversals among them are posted once each', async () => {
    const { settle, payment, balance, db } = await begin();
    const id = await payment();
    const refund = { id: 're_1', kind: 'refund', amount: 5 * USD, stands: true } as const;
    const dispute = { id: 'dp_1', kind: 'dispute', amount: 7 * USD, stands: true } as const;
    const words = [
      paid('cs_1'),
      paid('cs_1', { reversals: [refund] }),
      paid('cs_1', { reversals: [dispute, refund] }),
    ];
    await Promise.all([...words, ...words, ...words].map((reported) => settle(id, reported)));
    expect(await balance()).toBe(8 * USD);
    await settle(id, paid('cs_1', { reversals: [{ ...dispute, stands: false }, refund] }));
    expect(await balance()).toBe(15 * USD);
    const entries = await db.selectFrom('ledger_entries').select(['kind', 'amount']).execute();
    expect(entries.map(({ kind }) => kind).sort()).toEqual([
      'dispute',
      'payment',
      'refund',
      'reversal',
    ]);
  });

  test('a word that was overtaken by what has come of the payment since is asked for anew', async () => {
    const { settle, settleBy, payment, balance } = await begin();
    const id = await payment();
    const refund = { id: 're_1', kind: 'refund', amount: 20 * USD, stands: true } as const;
    const failed = paid('cs_1', { reversals: [{ ...refund, stands: false }] });
    const reports = [paid('cs_1', { reversals: [refund] }), failed, failed];
    await settle(id, paid('cs_1', { reversals: [refund] }));
    expect(await balance()).toBe(0);
    let looks = 0;
    await settleBy(id, async () => {
      looks += 1;
      if (looks === 1) await settle(id, failed);
      return reports.shift() ?? null;
    });
    expect([looks, await balance()]).toEqual([2, 20 * USD]);
  });

  test('a payment that never stands still is given up, for the provider to tell again', async () => {
    const { settle, settleBy, payment, balance } = await begin();
    const id = await payment();
    await settle(id, paid('cs_1'));
    let stands = true;
    const endless = settleBy(id, async () => {
      stands = !stands;
      const refund = { id: 're_1', kind: 'refund', amount: 20 * USD, stands } as const;
      await settle(id, paid('cs_1', { reversals: [refund] }));
      return paid('cs_1', { reversals: [{ ...refund, stands: !stands }] });
    });
    await expect(endless).rejects.toMatchObject({ status: 503 });
    expect(await balance()).toBe(stands ? 0 : 20 * USD);
  });

  test('a random history of refunds and disputes leaves what was paid less what stands, never less than nothing', async () => {
    const { settle, payment, balance } = await begin();
    const id = await payment();
    await settle(id, paid('cs_1'));
    const balances = new Map<string, number>();
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let step = 0; step < 60; step += 1) {
      const refund = {
        id: `re_${random(8)}`,
        kind: 'refund',
        amount: (1 + random(9)) * USD,
        stands: random(3) > 0,
      } as const;
      balances.set(refund.id, refund.stands ? refund.amount : 0);
      await settle(id, paid('cs_1', { reversals: [refund] }));
      const sum = [...balances.values()].reduce((total, amount) => total + amount, 0);
      expect([step, await balance()]).toEqual([step, Math.max(0, 20 * USD - sum)]);
    }
  });

  test('a word about another checkout, or about no payment of ours, changes nothing', async () => {
    const { settle, payment, balance } = await begin();
    const id = await payment();
    await settle(id, paid('cs_1', { state: 'open', received: 0, reference: null }));
    expect(await settle(id, paid('cs_2'))).toBeNull();
    expect(await settle(newId(NOW), paid('cs_1'))).toBeNull();
    expect(await balance()).toBe(0);
  });

  test('one payment at the provider is credited to one of ours only', async () => {
    const { settle, payment, balance } = await begin();
    await settle(await payment(), paid('cs_1'));
    const other = settle(await payment(), paid('cs_2', { reference: 'pi_cs_1' }));
    expect(
      await other.then(
        () => 'settled',
        () => 'refused',
      ),
    ).toBe('refused');
    expect(await balance()).toBe(20 * USD);
    await settle(await payment('cryptomus'), paid('cs_1'));
    expect(await balance()).toBe(40 * USD);
  });
});
