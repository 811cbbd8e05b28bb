import { toUsd } from '../../contract/money.ts';
import type { ListedPayment, ProviderPayment, Reversal } from './port.ts';

const DECIMAL = /^(\d{1,12})(?:\.(\d{1,18}))?$/;
const SCALE = 18;
const MICRO_DIGITS = 6;

/** An invoice as the API returns it. Only these two fields are checked. */
export type Invoice = Record<string, unknown> & { uuid: string; order_id: string };

const STATES: Record<string, ProviderPayment['state']> = {
  process: 'open',
  check: 'open',
  confirm_check: 'open',
  wrong_amount_waiting: 'open',
  // The coins are kept back by a check against money laundering, which can end either way.
  locked: 'open',
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
 * Converts an invoice. The payer chooses a coin, so the dollars that arrived are the invoice's amount times
 * the paid share of the amount in that coin.
 */
export function toProviderPayment(invoice: Invoice): ProviderPayment {
  const status = String(invoice.payment_status ?? invoice.status);
  const amount = parseMicroUsd(invoice.amount) ?? 0;
  const arrived = share(amount, invoice.payment_amount, invoice.payer_amount);
  return {
    checkoutId: invoice.uuid,
    state: stateOf(status, amount, arrived),
    requested: { amount, currency: String(invoice.currency) },
    received: receivedOf(
      status,
      amount,
      lesser(arrived, parseMicroUsd(invoice.payment_amount_usd)),
    ),
    reference: invoice.uuid,
    reversals: status.startsWith('refund_') ? [refund(invoice.uuid, status)] : null,
    unknownStatuses:
      status in STATES || status === 'refund_fail' ? [] : [`invoice ${invoice.uuid}: ${status}`],
  };
}

/** Returns an invoice as a listed payment; null where no money arrived for it. */
export function toListedPayment(invoice: Invoice): ListedPayment | null {
  const { checkoutId, requested, received } = toProviderPayment(invoice);
  if (received === 0) return null;
  const createdAt = Date.parse(String(invoice.created_at)) || 0;
  return {
    paymentId: invoice.order_id,
    checkoutId,
    userId: userOf(invoice.additional_data),
    amount: requested.amount,
    createdAt,
  };
}

/** Returns the user whose id `open` stored with an invoice; null where it stored none. */
function userOf(data: unknown): string | null {
  try {
    const { user } = JSON.parse(String(data));
    return typeof user === 'string' ? user : null;
  } catch {
    return null;
  }
}

/**
 * Returns what arrived at the lesser of two rates: that of the invoice, and that at which Cryptomus
 * valued the coins when they arrived, which not every answer contains.
 */
const lesser = (arrived: number | null, valued: number | null): number | null =>
  arrived === null || valued === null ? arrived : Math.min(arrived, valued);

/**
 * After a failed refund the money is still there, and only the amount tells whether it is all that was
 * requested.
 */
function stateOf(
  status: string,
  requested: number,
  arrived: number | null,
): ProviderPayment['state'] {
  if (status === 'refund_fail') return (arrived ?? 0) >= requested ? 'paid' : 'short';
  return STATES[status] ?? 'open';
}

/** 'paid' is Cryptomus' own judgement at its own rate, so it never means less than the requested amount. */
function receivedOf(status: string, requested: number, arrived: number | null): number {
  if (status === 'paid') return requested;
  if (status === 'paid_over') return Math.max(requested, arrived ?? requested);
  return arrived ?? 0;
}

const refund = (uuid: string, status: string): Reversal => ({
  id: uuid,
  kind: 'refund',
  amount: null,
  stands: status !== 'refund_fail',
});

/** Parses a decimal into units of 10^-18; null where the text is not a decimal. */
function parseDecimal(text: unknown): bigint | null {
  const match = DECIMAL.exec(String(text));
  if (!match) return null;
  return BigInt(`${match[1]}${(match[2] ?? '').padEnd(SCALE, '0')}`);
}

const MICRO = 10n ** BigInt(SCALE - MICRO_DIGITS);
/** A billion dollars. A larger amount is certainly wrong, and a number could not hold it. */
const MAX_MICRO_USD = 10n ** 15n;
const bounded = (micro: bigint) => Number(micro > MAX_MICRO_USD ? MAX_MICRO_USD : micro);

/** Parses a decimal of dollars such as '15.00' into micro-USD, rounded down; null where it is not a decimal. */
function parseMicroUsd(text: unknown): number | null {
  const value = parseDecimal(text);
  return value === null ? null : bounded(value / MICRO);
}

/** Returns `amount` × `part` / `whole`, rounded down; null where these are not decimals or `total` is 0. */
function share(amount: number, part: unknown, total: unknown): number | null {
  const [paid, due] = [parseDecimal(part), parseDecimal(total)];
  if (paid === null || due === null || due === 0n) return null;
  return bounded((BigInt(amount) * paid) / due);
}

/** Formats micro-USD as dollars with two decimals, which is as fine as a top-up gets. */
export const dollars = (micro: number): string => toUsd(micro).toFixed(2);
