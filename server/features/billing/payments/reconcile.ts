import type { ProviderPayment } from '../../../platform/payments/port.ts';
import type { PaymentRow } from './tables.ts';

type Change = Partial<
  Pick<
    PaymentRow,
    'status' | 'received' | 'credited' | 'refund_due' | 'note' | 'settled_at' | 'reference'
  >
>;

/**
 * What the provider's word changes about a payment. Only what is paid is credited, only in the
 * currency and for the amount that was asked for, and only once; what arrives otherwise is owed
 * back. Null: nothing is new.
 */
export function reconcilePayment(
  payment: PaymentRow,
  truth: ProviderPayment,
  { isOpen, now }: { isOpen: boolean; now: number },
): Change | null {
  if (payment.settled_at !== null) return null;
  const { received, reference } = truth;
  const settled = { received, reference, settled_at: now };
  switch (truth.state) {
    case 'open':
      return null;
    case 'failed':
    case 'expired':
      return payment.status === 'pending' ? { status: truth.state } : null;
    // Not settled: the provider may still find that it was paid, or give it back, or fail to.
    case 'short':
      return { status: 'failed', received, refund_due: received, note: 'short', reference };
    case 'returned':
      return { status: 'refunded', received, refund_due: 0, note: null, reference };
    case 'paid':
      if (!fits(payment, truth)) {
        return { ...settled, status: 'failed', refund_due: received, note: 'mismatch' };
      }
      return isOpen
        ? { ...settled, status: 'paid', credited: received, refund_due: 0, note: null }
        : { ...settled, status: 'paid', refund_due: received, note: 'account-gone' };
  }
}

const fits = (payment: PaymentRow, { asked, received }: ProviderPayment) =>
  asked.currency === 'USD' &&
  asked.amount === payment.amount &&
  received >= payment.amount &&
  Number.isSafeInteger(received);
