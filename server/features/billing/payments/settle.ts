import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import type { PaymentRow } from '../../../platform/db/tables-payments.ts';
import type { Truth } from '../../../platform/payments/port.ts';
import { post } from '../ledger.ts';
import { recordOutcome } from './acts.ts';
import { applyReversals } from './reversals.ts';
import * as store from './store.ts';
import { verdictOn } from './verdict.ts';

export type Settle = ReturnType<typeof createSettle>;

/**
 * The one place in which a payment becomes money, whoever brought the provider's word: a webhook,
 * the payer's return or housekeeping. It holds the payment, so that what comes at once comes one
 * after another, and row and ledger change together. Answers the payment as it is then, null where
 * the word is not about it.
 */
export function createSettle({ database, clock }: { database: Database; clock: Clock }) {
  return (paymentId: string, truth: Truth): Promise<PaymentRow | null> =>
    database.transaction(async (tx) => {
      const found = await store.lockPayment(tx, paymentId);
      if (!found || (found.checkout_id ?? truth.checkoutId) !== truth.checkoutId) return null;
      const now = clock();
      const at = { isOpen: await store.isAccountOpen(tx, found.user_id), now };
      const change = verdictOn(found, truth, at);
      const payment = { ...found, checkout_id: truth.checkoutId, ...change };
      if (payment.status !== 'pending') payment.ask_at = null;
      if (change || found.checkout_id === null) {
        await store.changePayment(tx, paymentId, { ...payment });
      }
      if (payment.credited > 0 && found.credited === 0) {
        await post(tx, {
          userId: payment.user_id,
          kind: 'payment',
          amount: payment.credited,
          ref: `${payment.provider}:payment:${payment.id}`,
          detail: { payment: payment.id, provider: payment.provider },
          at: now,
        });
      }
      await recordOutcome(tx, found, payment, now);
      if (payment.settled_at === null || !truth.reversals) return payment;
      return applyReversals(tx, payment, truth.reversals, at);
    });
}
