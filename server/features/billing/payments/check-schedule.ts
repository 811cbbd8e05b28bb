import { DAY, HOUR, MINUTE } from '../../../contract/limits.ts';
import type { PaymentRow } from './tables.ts';

/** Coins that are sent to an invoice that has ended are credited if they arrive within this time. */
const LATE_PAYMENT_TTL_MS = 14 * DAY;

type Checked = Pick<
  PaymentRow,
  'provider' | 'status' | 'note' | 'created_at' | 'expires_at' | 'settled_at'
>;

/**
 * Returns when to ask the provider about a payment again; null where its answer can't change. A
 * pending payment is asked about less and less often. An invoice in a cryptocurrency can still be
 * paid after it has expired or failed, or completed after too little arrived, so it is asked about
 * daily for two weeks.
 * @param now epoch milliseconds
 */
export function nextCheckAt(payment: Checked, now: number): number | null {
  if (payment.status === 'pending') {
    const age = now - payment.created_at;
    return Math.round(now + Math.min(HOUR, Math.max(MINUTE, age / 2)));
  }
  // Without a page nobody can have paid.
  const isFinal = payment.settled_at !== null || payment.note === 'refused';
  if (payment.provider !== 'cryptomus' || isFinal) return null;
  const next = now + DAY;
  return next <= payment.expires_at + LATE_PAYMENT_TTL_MS ? next : null;
}
