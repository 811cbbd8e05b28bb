import { toUsd } from '../../../contract/money.ts';
import type {
  AdminJobsWire,
  AdminOwedWire,
  AdminPaymentWire,
  PaymentWire,
} from '../../../contract/wire.ts';
import type { PaymentRow } from './tables.ts';
import type { WebhookState } from './webhook-watch.ts';

/** The payment method of each provider, as customers know it. */
export const METHODS = { stripe: 'card', cryptomus: 'crypto' } as const;

/** The providers by their own names, for operators. */
export const PROVIDER_NAMES = { stripe: 'Stripe', cryptomus: 'Cryptomus' } as const;

/** Returns a payment as the API shows it to its payer at a moment in epoch milliseconds. */
export const toWire = (row: PaymentRow, now: number): PaymentWire => ({
  id: row.id,
  status: row.status,
  method: METHODS[row.provider],
  amount: toUsd(row.amount),
  credited: toUsd(row.credited),
  refunded: toUsd(row.reversed),
  note: row.note,
  checkout_url: row.status === 'pending' && now < row.expires_at ? row.checkout_url : null,
  date: new Date(row.created_at).toISOString(),
});

/** Returns a payment as the API shows it to the admin, with the provider's ids. */
export const toAdminWire = (row: PaymentRow, now: number): AdminPaymentWire => {
  const { checkout_url: _, ...payment } = toWire(row, now);
  return { ...payment, reference: row.reference, checkout: row.checkout_id };
};

/** Returns a payment that has to be refunded as the API shows it to the admin. */
export const toOwedWire = (row: PaymentRow & { email: string | null }): AdminOwedWire => ({
  id: row.id,
  user: { id: row.user_id, email: row.email },
  method: METHODS[row.provider],
  note: row.note,
  owed: toUsd(row.refund_due),
  reference: row.reference,
  checkout: row.checkout_id,
  date: new Date(row.created_at).toISOString(),
});

/** Returns whether the webhooks of a provider arrive as the API shows it to the admin. */
export const toWebhookWire = ({
  provider,
  lastWebhookAt,
  unannouncedAt,
}: WebhookState): AdminJobsWire['webhooks'][number] => ({
  method: METHODS[provider],
  last: lastWebhookAt === null ? null : new Date(lastWebhookAt).toISOString(),
  unannounced: unannouncedAt === null ? null : new Date(unannouncedAt).toISOString(),
});
