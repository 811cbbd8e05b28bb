import type { PaymentNote, PaymentStatus } from '../../../contract/wire.ts';
import type { SqlBoolean } from '../../../platform/db/port.ts';

/** A payment. All amounts are in micro-USD. */
export type PaymentRow = {
  id: string;
  /** The user who started the payment; the account may be deleted. */
  user_id: string;
  provider: 'stripe' | 'cryptomus';
  /** The requested amount. */
  amount: number;
  status: PaymentStatus;
  /** The provider's ids of the checkout and of the payment itself; null until they are known. */
  checkout_id: string | null;
  reference: string | null;
  /** The provider's page for the payment; null until it is known. */
  checkout_url: string | null;
  /** How much arrived, how much of it was credited, and how much of that was reversed. */
  received: number;
  credited: number;
  reversed: number;
  /** How much arrived but was not credited, so that the operator has to refund it. */
  refund_due: number;
  note: PaymentNote | null;
  created_at: number;
  /** When the checkout expires. */
  expires_at: number;
  /** When the payment was settled; after that nothing more is credited. */
  settled_at: number | null;
  /** When to ask the provider next; null where no more checks are needed. */
  ask_at: number | null;
  /** When a webhook first named the payment; null where none did. */
  announced_at: number | null;
};

/** What is known of a provider. */
export type PaymentProviderRow = {
  provider: PaymentRow['provider'];
  /** When it last sent a webhook with a valid signature. */
  webhook_at: number | null;
  /** Up to when its refunds and disputes have been listed. */
  listed_at: number | null;
  /** When the operator was told that webhooks don't arrive; null while they do. */
  warned_at: number | null;
};

/** A refund or dispute, with the provider's id. */
export type PaymentReversalRow = {
  provider: PaymentRow['provider'];
  id: string;
  payment_id: string;
  kind: 'refund' | 'dispute';
  amount: number;
  /** 0 once the provider has withdrawn it. */
  stands: SqlBoolean;
  /** Counts the changes, so that each is posted to the ledger once. */
  changes: number;
  created_at: number;
};

declare module '../../../platform/db/tables.ts' {
  /** The tables of payments, by their names. */
  interface Tables {
    payments: PaymentRow;
    payment_reversals: PaymentReversalRow;
    payment_providers: PaymentProviderRow;
  }
}
