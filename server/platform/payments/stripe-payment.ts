import type Stripe from 'stripe';
import type { ProviderPayment, Reversal } from './port.ts';

const MICRO_PER_CENT = 10_000;
/** A refund with one of these states came back. A pending refund has already left the balance. */
const RETURNED = ['failed', 'canceled'];
/**
 * In these states a dispute has taken the money. An inquiry has not taken it yet, and a prevented dispute
 * never will.
 */
const WITHDRAWN = [
  'needs_response',
  'under_review',
  'lost',
  'appeal_needs_response',
  'appeal_under_review',
];

type Session = Stripe.Checkout.Session;

/** Converts a session whose `payment_intent` is expanded. */
export function toProviderPayment(session: Session, reversals: Reversal[] | null): ProviderPayment {
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
    reversals,
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

export const reversalOfDispute = (dispute: Stripe.Dispute): Reversal => ({
  id: dispute.id,
  kind: 'dispute',
  amount: dispute.amount * MICRO_PER_CENT,
  stands: WITHDRAWN.includes(dispute.status),
});
