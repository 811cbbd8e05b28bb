import { MINUTE } from '../../../contract/limits.ts';
import { unavailable } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import type { PaymentRow } from '../../../platform/db/tables-payments.ts';
import type { ProviderPayment } from '../../../platform/payments/port.ts';
import { post } from '../ledger/ledger.ts';
import { recordOutcome } from './audit.ts';
import { reconcilePayment } from './reconcile.ts';
import { applyReversals } from './reversals.ts';
import * as store from './store.ts';

export type Settle = ReturnType<typeof createSettle>;

/** What changes a payment are a handful of things in its life: more looks than this come of a fault. */
const LOOKS = 10;

/**
 * The one place in which a payment becomes money, whoever had the provider asked: a webhook, the
 * payer's return or housekeeping. It holds the payment, so that what comes at once comes one after
 * another, and row and ledger change together. Answers the payment as it is then, null where the
 * provider's word is not about it.
 *
 * `look` asks the provider. Answers may overtake each other: where something came of the payment
 * since it was asked, its word may be older than what is known, and it is asked anew. Throws what
 * `look` does, and unavailable.
 */
export function createSettle({ database, clock }: { database: Database; clock: Clock }) {
  return async (
    paymentId: string,
    look: () => Promise<ProviderPayment | null>,
  ): Promise<PaymentRow | null> => {
    for (let looks = 0; looks < LOOKS; looks += 1) {
      const seen = await store.stateOf(database.db, paymentId);
      const truth = await look();
      if (truth === null) return null;
      const settled = await database.transaction(async (tx) => {
        const found = await store.lockPayment(tx, paymentId);
        if (!found || (found.checkout_id ?? truth.checkoutId) !== truth.checkoutId) return null;
        if ((await store.stateOf(tx, paymentId)) !== seen) return 'overtaken';
        return settleHeld(tx, found, truth, clock());
      });
      if (settled !== 'overtaken') return settled;
    }
    throw unavailable('The payment changes while it is looked at. Try again in a minute.', MINUTE);
  };
}

async function settleHeld(
  tx: Tx,
  found: PaymentRow,
  truth: ProviderPayment,
  now: number,
): Promise<PaymentRow> {
  const isOpen = await store.isAccountOpen(tx, found.user_id);
  const change = reconcilePayment(found, truth, { isOpen, now });
  const payment = { ...found, checkout_id: truth.checkoutId, ...change };
  if (payment.status !== 'pending') payment.ask_at = null;
  if (change || found.checkout_id === null) {
    await store.changePayment(tx, payment.id, { ...payment });
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
  const reversed = await applyReversals(tx, payment, truth.reversals, now);
  await recordOutcome(tx, payment, reversed, now);
  return reversed;
}
