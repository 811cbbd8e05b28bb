import type Stripe from 'stripe';
import type { ProviderPayment, Reversal } from './port.ts';

const MICRO_PER_CENT = 10_000;
/** A failed refund came back; what is pending has left already. */
const RETURNED = ['failed', 'canceled'];
/** Of an inquiry no money has been taken yet, and of a prevented one it never will be. */
const WITHDRAWN = [
  'needs_response',
  'under_review',
  'lost',
  'appeal_needs_response',
  'appeal_under_review',
];

type Session = Stripe.Checkout.Session;

/** What a session with its `payment_intent` expanded says. */
export function toProviderPayment(session: Session, reversals: Reversal[] | null): ProviderPayment {
  const intent = session.payment_intent;
  return {
    checkoutId: session.id,
    state: stateOf(session),
    asked: {
      amount: (session.amount_total ?? 0) * MICRO_PER_CENT,
      currency: (session.currency ?? '').toUpperCase(),
    },
    received: session.payment_status === 'paid' ? (session.amount_total ?? 0) * MICRO_PER_CENT : 0,
    reference: typeof intent === 'string' ? intent : (intent?.id ?? null),
    reversals,
  };
}

/** A complete session is paid only if its payment is: some methods take days, and may fail then. */
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
