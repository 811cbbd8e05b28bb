import type { Tx } from '../../../platform/db/port.ts';
import type { Reversal } from '../../../platform/payments/port.ts';
import { post } from '../ledger/ledger.ts';
import { recordReversal } from './audit.ts';
import * as store from './store.ts';
import type { PaymentReversalRow, PaymentRow } from './tables.ts';

/**
 * Updates the refunds and disputes of a settled payment to what the provider reports, in the
 * transaction that locks the payment. Together they never take more than arrived, so each change
 * posts the difference that it makes. It posts to deleted accounts too, as the money has gone
 * either way. Returns the payment after the update.
 */
export async function applyReversals(
  tx: Tx,
  payment: PaymentRow,
  reported: Reversal[],
  now: number,
): Promise<PaymentRow> {
  const reversals = await store.reversalsOf(tx, payment.id);
  const arrived = payment.credited || payment.received;
  let { reversed } = payment;
  for (const reversal of reported) {
    const old = reversals.find(({ id }) => id === reversal.id);
    const next = changed(payment, old, reversal, now);
    if (!next) continue;
    await (old ? store.changeReversal(tx, next) : store.insertReversal(tx, next));
    if (old) reversals[reversals.indexOf(old)] = next;
    else reversals.push(next);
    const total = Math.min(arrived, sumOf(reversals));
    const amount = reversed - total;
    reversed = total;
    if (amount === 0 || payment.credited === 0) continue;
    await post(tx, {
      userId: payment.user_id,
      kind: amount < 0 ? next.kind : 'reversal',
      amount,
      ref: `${payment.provider}:${next.kind}:${next.id}:${next.changes}`,
      detail: { payment: payment.id },
      at: now,
    });
    await recordReversal(tx, payment, amount, now);
  }
  if (reversed === payment.reversed) return payment;
  const change = {
    reversed,
    status: reversed >= arrived ? ('refunded' as const) : unreversed(payment),
    // A surplus goes back with the whole payment.
    refund_due: reversed >= arrived ? 0 : payment.received - (payment.credited || reversed),
  };
  await store.changePayment(tx, payment.id, change);
  return { ...payment, ...change };
}

/** Returns the new row of a reversal; null where nothing about it has changed. */
function changed(
  payment: PaymentRow,
  old: PaymentReversalRow | undefined,
  { id, kind, amount, stands }: Reversal,
  now: number,
): PaymentReversalRow | null {
  const reported = {
    amount: amount ?? (payment.credited || payment.received),
    stands: stands ? (1 as const) : (0 as const),
  };
  if (!old) {
    const { provider, id: payment_id } = payment;
    return { provider, id, payment_id, kind, ...reported, changes: 0, created_at: now };
  }
  if (old.amount === reported.amount && old.stands === reported.stands) return null;
  return { ...old, ...reported, changes: old.changes + 1 };
}

const sumOf = (reversals: PaymentReversalRow[]) =>
  reversals.reduce((sum, { amount, stands }) => sum + (stands ? amount : 0), 0);

const unreversed = (payment: PaymentRow) =>
  payment.note === 'mismatch' || payment.note === 'short' ? ('failed' as const) : ('paid' as const);
