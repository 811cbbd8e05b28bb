import { MINUTE } from '../../../contract/limits.ts';
import { MAX_TOP_UP } from '../../../contract/money.ts';
import { unavailable } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import type { ProviderPayment } from '../../../platform/payments/port.ts';
import { post } from '../ledger/ledger.ts';
import { recordOutcome } from './audit.ts';
import { nextCheckAt } from './check-schedule.ts';
import { applyReversals } from './reversals.ts';
import * as store from './store.ts';
import type { PaymentRow } from './tables.ts';

export type Settle = ReturnType<typeof createSettle>;

/** A payment changes only a few times, so more attempts than this mean that something is broken. */
const MAX_ATTEMPTS = 10;

/**
 * Returns the function that credits a payment, for webhooks, returning payers and the housekeeping.
 * It locks the payment, so that concurrent calls run one after another, and changes the payment's
 * row and the ledger in one transaction. It returns the row afterwards, or null where the
 * provider's answer is about another payment.
 *
 * `look` asks the provider. Answers may arrive out of order: if the payment has changed since the
 * question, the answer may be outdated, and the provider is asked again. It throws what `look`
 * throws, and unavailable.
 */
export function createSettle({ database, clock }: { database: Database; clock: Clock }) {
  return async (
    paymentId: string,
    look: () => Promise<ProviderPayment | null>,
  ): Promise<PaymentRow | null> => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const state = await store.stateOf(database.db, paymentId);
      const reported = await look();
      if (reported === null) return null;
      const result = await database.transaction(async (tx) => {
        const payment = await store.lockPayment(tx, paymentId);
        if (!payment || (payment.checkout_id ?? reported.checkoutId) !== reported.checkoutId)
          return null;
        if ((await store.stateOf(tx, paymentId)) !== state) return 'overtaken';
        return settleLocked(tx, payment, reported, clock());
      });
      if (result !== 'overtaken') return result;
    }
    throw unavailable('The payment is being updated. Try again in a minute.', MINUTE);
  };
}

async function settleLocked(
  tx: Tx,
  before: PaymentRow,
  reported: ProviderPayment,
  now: number,
): Promise<PaymentRow> {
  const isOpen = await store.isAccountOpen(tx, before.user_id);
  const change = reconcilePayment(before, reported, { isOpen, now });
  const payment = { ...before, checkout_id: reported.checkoutId, ...change };
  if (change) payment.ask_at = nextCheckAt(payment, now);
  if (change || before.checkout_id === null) {
    await store.changePayment(tx, payment.id, { ...payment });
  }
  if (payment.credited > 0 && before.credited === 0) {
    await post(tx, {
      userId: payment.user_id,
      kind: 'payment',
      amount: payment.credited,
      ref: `${payment.provider}:payment:${payment.id}`,
      detail: { payment: payment.id, provider: payment.provider },
      at: now,
    });
  }
  await recordOutcome(tx, before, payment, now);
  if (payment.settled_at === null || !reported.reversals) return payment;
  const reversed = await applyReversals(tx, payment, reported.reversals, now);
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
 * Returns what the provider's answer changes about a payment; null where it changes nothing. A
 * payment is credited once, and only if it is paid in the requested currency and amount. Any other
 * money that arrives has to be refunded.
 */
function reconcilePayment(
  payment: PaymentRow,
  reported: ProviderPayment,
  { isOpen, now }: { isOpen: boolean; now: number },
): Change | null {
  if (payment.settled_at !== null) return null;
  const { received, reference } = reported;
  const settlement = { received, reference, settled_at: now };
  switch (reported.state) {
    case 'open':
      return null;
    case 'failed':
    case 'expired':
      return payment.status === 'pending' ? { status: reported.state } : null;
    // The payment is not settled: the provider may still report it as paid or as returned.
    case 'short':
      return { status: 'failed', received, refund_due: received, note: 'short', reference };
    case 'returned':
      return { status: 'refunded', received, refund_due: 0, note: null, reference };
    case 'paid':
      if (!fits(payment, reported)) {
        return { ...settlement, status: 'failed', refund_due: received, note: 'mismatch' };
      }
      return isOpen
        ? { ...settlement, status: 'paid', ...creditedOf(received) }
        : { ...settlement, status: 'paid', refund_due: received, note: 'account-gone' };
  }
}

/** One payment credits at most the largest top-up. The rest has to be refunded. */
function creditedOf(received: number) {
  const credited = Math.min(received, MAX_TOP_UP);
  const surplus = received - credited;
  return { credited, refund_due: surplus, note: surplus > 0 ? ('surplus' as const) : null };
}

const fits = (payment: PaymentRow, { requested, received }: ProviderPayment) =>
  requested.currency === 'USD' &&
  requested.amount === payment.amount &&
  received >= payment.amount &&
  Number.isSafeInteger(received);
