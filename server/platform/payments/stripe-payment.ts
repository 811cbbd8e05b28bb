import type Stripe from 'stripe';
import { MICRO_PER_CENT } from '../../contract/money.ts';
import type { ProviderPayment, Reversal } from './port.ts';

/** A refund with one of these states came back. A pending refund has already left the balance. */
const RETURNED = ['failed', 'canceled'];
/** Without a movement of money, a dispute with one of these statuses has taken none: it is an inquiry, or has ended. */
const WITHOUT_LOSS = [
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
  'prevented',
  'won',
];
const WITH_LOSS = [
  'needs_response',
  'under_review',
  'lost',
  'appeal_needs_response',
  'appeal_under_review',
];

type Session = Stripe.Checkout.Session;

/** The refunds and disputes of a payment, as the provider lists them. */
export type StripeReversals = { refunds: Stripe.Refund[]; disputes: Stripe.Dispute[] };

/** Converts a session whose `payment_intent` is expanded. */
export function toProviderPayment(
  session: Session,
  listed: StripeReversals | null,
): ProviderPayment {
  const intent = session.payment_intent;
  return {
    checkoutId: session.id,
    state: stateOf(session),
    requested: {
      amount: (session.amount_total ?? 0) * MICRO_PER_CENT,
      currency: (session.currency ?? '').toUpperCase(),
    },
    received: session.payment_status === 'paid' ? (session.amount_total ?? 0) * MICRO_PER_CENT : 0,
    reference: typeof intent === 'string' ? intent : (intent?.id ?? null),
    reversals: listed && [
      ...listed.refunds.map(reversalOfRefund),
      ...listed.disputes.map(reversalOfDispute),
    ],
    unknownStatuses: (listed?.disputes ?? [])
      .filter(({ status }) => ![...WITHOUT_LOSS, ...WITH_LOSS].includes(status))
      .map(({ id, status }) => `dispute ${id}: ${status}`),
  };
}

/** A complete session is paid only when its payment is: some methods take days, and can fail then. */
function stateOf({ status, payment_status, payment_intent }: Session): ProviderPayment['state'] {
  if (status === 'expired') return 'expired';
  if (status !== 'complete') return 'open';
  if (payment_status === 'paid') return 'paid';
  const intent = typeof payment_intent === 'string' ? null : payment_intent;
  return ['requires_payment_method', 'canceled'].includes(intent?.status ?? '') ? 'failed' : 'open';
}

export const reversalOfRefund = (refund: Stripe.Refund): Reversal => ({
  id: refund.id,
  kind: 'refund',
  amount: refund.amount * MICRO_PER_CENT,
  stands: !RETURNED.includes(refund.status ?? ''),
});

/**
 * Goes by the balance transactions of a dispute, which say what was withdrawn and what was reinstated.
 * A status says that only where there are none yet, and one that is unknown counts as a loss.
 */
export function reversalOfDispute(dispute: Stripe.Dispute): Reversal {
  const { id, status, amount, currency, balance_transactions: movements } = dispute;
  const reversal = { id, kind: 'dispute' as const, amount: amount * MICRO_PER_CENT };
  const last = movements.toSorted((a, b) => b.created - a.created)[0];
  if (!last) return { ...reversal, stands: !WITHOUT_LOSS.includes(status) };
  // In the currency of another balance, the rates of both movements differ, so the last one decides.
  if (last.currency !== currency) return { ...reversal, stands: last.amount < 0 };
  const withdrawn = movements.reduce((sum, movement) => sum - movement.amount, 0);
  if (withdrawn <= 0) return { ...reversal, stands: false };
  return { ...reversal, amount: withdrawn * MICRO_PER_CENT, stands: true };
}
