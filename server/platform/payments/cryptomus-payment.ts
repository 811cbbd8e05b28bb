import { microOf, share } from './decimal.ts';
import type { ProviderPayment, Reversal } from './port.ts';

/** An invoice as the API shows it; everything in it is foreign. */
export type Invoice = Record<string, unknown> & { uuid: string; order_id: string };

const STATES: Record<string, ProviderPayment['state']> = {
  paid: 'paid',
  paid_over: 'paid',
  wrong_amount: 'short',
  fail: 'failed',
  system_fail: 'failed',
  cancel: 'expired',
  refund_process: 'returned',
  refund_paid: 'returned',
};

/**
 * What an invoice says. The payer chooses a coin: what arrived in dollars is the invoice's amount
 * times what was paid of what was due in that coin.
 */
export function toProviderPayment(invoice: Invoice): ProviderPayment {
  const status = String(invoice.payment_status ?? invoice.status);
  const amount = microOf(invoice.amount) ?? 0;
  const arrived = share(amount, invoice.payment_amount, invoice.payer_amount);
  return {
    checkoutId: invoice.uuid,
    state: stateOf(status, amount, arrived),
    asked: { amount, currency: String(invoice.currency) },
    received: receivedOf(status, amount, arrived),
    reference: invoice.uuid,
    reversals: status.startsWith('refund_') ? [refund(invoice.uuid, status)] : null,
  };
}

/** What could not be given back is there; whether it was all that was asked for, nothing else tells. */
function stateOf(status: string, asked: number, arrived: number | null): ProviderPayment['state'] {
  if (status === 'refund_fail') return (arrived ?? 0) >= asked ? 'paid' : 'short';
  return STATES[status] ?? 'open';
}

/** 'Paid' is Cryptomus' own judgement, at its own rate: it is never less than what was asked for. */
function receivedOf(status: string, asked: number, arrived: number | null): number {
  if (status === 'paid') return asked;
  if (status === 'paid_over') return Math.max(asked, arrived ?? asked);
  return arrived ?? 0;
}

const refund = (uuid: string, status: string): Reversal => ({
  id: uuid,
  kind: 'refund',
  amount: null,
  stands: status !== 'refund_fail',
});
