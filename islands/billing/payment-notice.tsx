import { useEffect } from 'react';
import { formatAmount } from '../../server/contract/money.ts';
import type { Page, PaymentWire } from '../../server/contract/wire.ts';
import { usePayments } from './payment-history.tsx';

/**
 * Says what became of the payment that the payer returns from, and changes with it. `paymentId` is from the
 * URL, out of which it is taken: after a reload the payment is in the history only.
 */
export function PaymentNotice({
  paymentId,
  first,
}: {
  paymentId: string;
  first: Page<PaymentWire> | null;
}) {
  useEffect(() => history.replaceState(history.state, '', location.pathname), []);
  const payments = usePayments(first);
  const payment = payments.data?.pages[0]?.data.find(({ id }) => id === paymentId);
  const text = payment && outcome(payment);
  return (
    <div
      role="status"
      className={text ? 'card mt-6 flex min-h-19 flex-wrap items-center gap-4 p-4' : ''}
    >
      {text && <p className="grow text-pretty">{text}</p>}
      {payment?.checkout_url && (
        <a href={payment.checkout_url} className="btn btn-primary">
          Continue payment
        </a>
      )}
    </div>
  );
}

/** Returns a sentence about a payment. The history has the reasons. */
export function outcome({ status, amount, credited, checkout_url }: PaymentWire): string | null {
  const name = `Your payment of ${formatAmount(amount)}`;
  switch (status) {
    case 'paid':
      return `${formatAmount(credited)} was added to your balance.`;
    case 'pending':
      return checkout_url
        ? `${name} is pending. If you’ve paid, your balance updates once the provider confirms it.`
        : `${name} is pending. Your balance updates once the provider confirms it.`;
    case 'failed':
    case 'expired':
      return `${name} ${status === 'failed' ? 'failed' : 'has expired'}. Nothing was added to your balance.`;
    case 'refunded':
      return `${name} was refunded.`;
  }
}
