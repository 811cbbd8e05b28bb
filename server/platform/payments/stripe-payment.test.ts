import { expect, test } from 'bun:test';
import type Stripe from 'stripe';
import { toProviderPayment } from './stripe-payment.ts';

const session = { id: 'cs_1', status: 'complete', payment_status: 'paid' } as never;
type Movement = { amount: number; currency?: string };

/** Returns the reversal of a dispute of $20 with this status, and the statuses that are unknown. */
function reversalOf(status: string, movements: Movement[] = []) {
  const balance_transactions = movements.map(({ amount, currency = 'usd' }, created) => ({
    amount,
    currency,
    created,
  }));
  const dispute = { id: 'dp_1', status, amount: 2000, currency: 'usd', balance_transactions };
  const disputes = [dispute as unknown as Stripe.Dispute];
  const { reversals, unknownStatuses } = toProviderPayment(session, { refunds: [], disputes });
  const [reversal] = reversals ?? [];
  return [reversal?.stands && (reversal.amount ?? 0) / 1_000_000, unknownStatuses.length];
}

test('a dispute takes what was withdrawn and not reinstated, with any status', () => {
  const statuses = ['needs_response', 'lost', 'won', 'prevented', 'warning_closed'];
  for (const status of statuses) {
    expect(reversalOf(status, [{ amount: -2000 }])).toEqual([20, 0]);
    expect(reversalOf(status, [{ amount: -2000 }, { amount: 2000 }])).toEqual([false, 0]);
    expect(reversalOf(status, [{ amount: -2000 }, { amount: 1500 }])).toEqual([5, 0]);
  }
  expect(reversalOf('mediation', [{ amount: -2000 }, { amount: 2000 }])).toEqual([false, 1]);
});

test('in the currency of another balance, the last movement decides', () => {
  const [out, back] = [
    { amount: -1830, currency: 'eur' },
    { amount: 1790, currency: 'eur' },
  ];
  expect(reversalOf('lost', [out])).toEqual([20, 0]);
  expect(reversalOf('won', [out, back])).toEqual([false, 0]);
});

test('without a movement, inquiries and prevented disputes take nothing, and every other status does', () => {
  for (const status of ['warning_needs_response', 'warning_under_review', 'prevented', 'won']) {
    expect(reversalOf(status)).toEqual([false, 0]);
  }
  for (const status of ['needs_response', 'under_review', 'lost', 'appeal_under_review']) {
    expect(reversalOf(status)).toEqual([20, 0]);
  }
  expect(reversalOf('mediation')).toEqual([20, 1]);
});
