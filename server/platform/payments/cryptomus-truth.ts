import { microOf, share } from './decimal.ts';
import type { Reversal, Truth } from './port.ts';

/** An invoice as the API shows it; everything in it is foreign. */
export type Invoice = Record<string, unknown> & { uuid: string; order_id: string };

const STATES: Record<string, Truth['state']> = {
  paid: 'paid',
  paid_over: 'paid',
  wrong_amount: 'short',
  fail: 'failed',
  system_fail: 'failed',
  cancel: 'expired',
  refund_process: 'returned',
  refund_paid: 'returned',
  refund_fail: 'paid',
};

/**
 * What an invoice says. The payer chooses a coin: what arrived in dollars is the invoice's amount
 * times what was paid of what was due in that coin.
 */
export function truthOf(invoice: Invoice): Truth {
  const status = String(invoice.payment_status ?? invoice.status);
  const amount = microOf(invoice.amount) ?? 0;
  const arrived = share(amount, invoice.payment_amount, invoice.payer_amount);
  return {
    checkoutId: invoice.uuid,
    state: STATES[status] ?? 'open',
    asked: { amount, currency: String(invoice.currency) },
    received: receivedOf(status, amount, arrived),
    reference: invoice.uuid,
    reversals: status.startsWith('refund_') ? [refund(invoice.uuid, status)] : null,
  };
}

/** 'Paid' is Cryptomus' own judgement, at its own rate: it is never less than what was asked for. */
function receivedOf(status: string, asked: number, arrived: number | null): number {
  if (status === 'paid' || status === 'refund_fail') return asked;
  if (status === 'paid_over') return Math.max(asked, arrived ?? asked);
  return arrived ?? 0;
}

const refund = (uuid: string, status: string): Reversal => ({
  id: uuid,
  kind: 'refund',
  amount: null,
  stands: status !== 'refund_fail',
});
