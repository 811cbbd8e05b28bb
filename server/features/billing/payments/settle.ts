import { MINUTE } from '../../../contract/limits.ts';
import { unavailable } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import type { ProviderPayment } from '../../../platform/payments/port.ts';
import { post } from '../ledger/ledger.ts';
import { recordOutcome } from './audit.ts';
import { applyReversals } from './reversals.ts';
import * as store from './store.ts';
import type { PaymentRow } from './tables.ts';

export type Settle = ReturnType<typeof createSettle>;

/** A payment changes a few times in its life, so more attempts than this point to a fault. */
const MAX_ATTEMPTS = 10;

/**
 * Makes the one function that turns a payment into money, for webhooks, the payer's return and the
 * housekeeping alike. It locks the payment, so that calls at once run one after another, and changes
 * the row and the ledger together. It returns the payment as it is afterwards, or null where the
 * provider's answer is about another one.
 *
 * `look` asks the provider. Answers may overtake each other: when the payment has changed since the
 * question, the answer may be older than what is known, and the provider is asked again. It throws
 * what `look` does, and unavailable.
 */
export function createSettle({ database, clock }: { database: Database; clock: Clock }) {
  return async (
    paymentId: string,
    look: () => Promise<ProviderPayment | null>,
  ): Promise<PaymentRow | null> => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const seen = await store.stateOf(database.db, paymentId);
      const truth = await look();
      if (truth === null) return null;
      const settled = await database.transaction(async (tx) => {
        const found = await store.lockPayment(tx, paymentId);
        if (!found || (found.checkout_id ?? truth.checkoutId) !== truth.checkoutId) return null;
        if ((await store.stateOf(tx, paymentId)) !== seen) return 'overtaken';
        return settleLocked(tx, found, truth, clock());
      });
      if (settled !== 'overtaken') return settled;
    }
    throw unavailable('The payment is being updated. Try again in a minute.', MINUTE);
  };
}

async function settleLocked(
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

type Change = Partial<
  Pick<
    PaymentRow,
    'status' | 'received' | 'credited' | 'refund_due' | 'note' | 'settled_at' | 'reference'
  >
>;

/**
 * What the provider's word changes about a payment. Only what is paid is credited, only in the
 * currency and for the amount that was asked for, and only once; what arrives otherwise is owed
 * back. Null: nothing is new.
 */
function reconcilePayment(
  payment: PaymentRow,
  truth: ProviderPayment,
  { isOpen, now }: { isOpen: boolean; now: number },
): Change | null {
  if (payment.settled_at !== null) return null;
  const { received, reference } = truth;
  const settled = { received, reference, settled_at: now };
  switch (truth.state) {
    case 'open':
      return null;
    case 'failed':
    case 'expired':
      return payment.status === 'pending' ? { status: truth.state } : null;
    // Not settled: the provider may still find that it was paid, or give it back, or fail to.
    case 'short':
      return { status: 'failed', received, refund_due: received, note: 'short', reference };
    case 'returned':
      return { status: 'refunded', received, refund_due: 0, note: null, reference };
    case 'paid':
      if (!fits(payment, truth)) {
        return { ...settled, status: 'failed', refund_due: received, note: 'mismatch' };
      }
      return isOpen
        ? { ...settled, status: 'paid', credited: received, refund_due: 0, note: null }
        : { ...settled, status: 'paid', refund_due: received, note: 'account-gone' };
  }
}

const fits = (payment: PaymentRow, { asked, received }: ProviderPayment) =>
  asked.currency === 'USD' &&
  asked.amount === payment.amount &&
  received >= payment.amount &&
  Number.isSafeInteger(received);
