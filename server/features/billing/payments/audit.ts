import { MICRO_USD } from '../../../contract/money.ts';
import { formatFigure } from '../../../contract/units.ts';
import { type Actor, record } from '../../../platform/audit/record.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { PaymentRow } from './tables.ts';
import { PROVIDER_NAMES } from './wire.ts';

const usd = (amount: number) => `$${formatFigure(Math.abs(amount) / MICRO_USD)}`;

const write = (
  tx: Tx,
  { id, user_id, provider }: PaymentRow,
  at: number,
  act: { action: string; message: string; amount: number; actor?: Actor; reason?: string },
) =>
  record(tx, at, {
    section: 'payments',
    action: act.action,
    message: act.message,
    actor: act.actor ?? 'system',
    subject: user_id,
    details: {
      payment: id,
      provider,
      usd: act.amount / MICRO_USD,
      ...(act.reason && { reason: act.reason }),
    },
  });

/** Records the outcome of a payment in the audit log: what was credited, or has to be refunded. */
export async function recordOutcome(tx: Tx, before: PaymentRow, now: PaymentRow, at: number) {
  if (now.credited > before.credited) {
    await write(tx, now, at, {
      action: 'payment.credited',
      message: `Payment of ${usd(now.credited)} credited.`,
      amount: now.credited,
    });
  }
  if (now.refund_due > before.refund_due) {
    await write(tx, now, at, {
      action: 'payment.owed-back',
      message: `Payment of ${usd(now.refund_due)} not credited; refund due.`,
      amount: now.refund_due,
    });
  }
}

/**
 * Records a reversal of a payment, or its restoration. `amount` is the ledger entry's, in
 * micro-USD.
 */
export async function recordReversal(tx: Tx, payment: PaymentRow, amount: number, at: number) {
  const isDebit = amount < 0;
  await write(tx, payment, at, {
    action: isDebit ? 'payment.reversed' : 'payment.restored',
    message: isDebit
      ? `${usd(amount)} of a payment reversed.`
      : `${usd(amount)} of a reversed payment credited again.`,
    amount,
  });
}

/** Records that an admin refunds an amount in micro-USD. What it takes from the balance is another entry. */
export async function recordRefund(
  tx: Tx,
  payment: PaymentRow,
  refund: { adminId: string; amount: number; by: 'provider' | 'other'; reason: string },
  at: number,
) {
  const { adminId, amount, by, reason } = refund;
  const where = by === 'provider' ? `requested at ${PROVIDER_NAMES[payment.provider]}` : 'recorded';
  await write(tx, payment, at, {
    action: 'payment.refund',
    message: `Refund of ${usd(amount)} ${where}.`,
    amount,
    actor: { userId: adminId },
    reason,
  });
}

/**
 * Records that a provider reports a payment that is missing from the database. `amount` is in
 * micro-USD, as the provider's message says.
 */
export async function recordUnknownPayment(
  db: Executor,
  provider: PaymentRow['provider'],
  { paymentId, amount }: { paymentId: string; amount: number },
  at: number,
) {
  const message = `${PROVIDER_NAMES[provider]} reports a payment of ${usd(amount)} that this server doesn't know.`;
  await record(db, at, {
    section: 'payments',
    action: 'payment.unknown',
    message,
    actor: 'system',
    details: { payment: paymentId, provider, usd: amount / MICRO_USD },
  });
}
