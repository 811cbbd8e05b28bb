import { toUsd } from '../../contract/money.ts';
import type { ProviderPayment, Reversal } from './port.ts';

const DECIMAL = /^(\d{1,12})(?:\.(\d{1,18}))?$/;
const SCALE = 18;
const MICRO_DIGITS = 6;

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

/** A decimal of a provider in 10^-18; null where it is none. */
function exact(text: unknown): bigint | null {
  const match = DECIMAL.exec(String(text));
  if (!match) return null;
  return BigInt(`${match[1]}${(match[2] ?? '').padEnd(SCALE, '0')}`);
}

const MICRO = 10n ** BigInt(SCALE - MICRO_DIGITS);
/** A billion dollars. What a provider says beyond it is as wrong, and could not be read back. */
const MOST = 10n ** 15n;
const bounded = (micro: bigint) => Number(micro > MOST ? MOST : micro);

/** Micro-USD of a decimal such as '15.00', what is finer cut off; null where it is none. */
function microOf(text: unknown): number | null {
  const value = exact(text);
  return value === null ? null : bounded(value / MICRO);
}

/** `amount` × `part` / `whole`, rounded down; null where these are no decimals, or `whole` is 0. */
function share(amount: number, part: unknown, whole: unknown): number | null {
  const [paid, due] = [exact(part), exact(whole)];
  if (paid === null || due === null || due === 0n) return null;
  return bounded((BigInt(amount) * paid) / due);
}

/** Micro-USD as dollars with two decimals, which is all that a top-up has. */
export const dollars = (micro: number): string => toUsd(micro).toFixed(2);
