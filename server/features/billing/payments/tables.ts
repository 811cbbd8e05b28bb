import type { PaymentNote, PaymentStatus } from '../../../contract/wire.ts';
import type { SqlBoolean } from '../../../platform/db/port.ts';

/** Amounts are micro-USD. */
export type PaymentRow = {
  id: string;
  /** Who began it; the account may be gone. */
  user_id: string;
  provider: 'stripe' | 'cryptomus';
  /** What was asked for. */
  amount: number;
  status: PaymentStatus;
  /** The provider's ids: of its page, null until that is known, and of the payment itself. */
  checkout_id: string | null;
  reference: string | null;
  /** What arrived, what of it went to the ledger, and what of that was taken back. */
  received: number;
  credited: number;
  reversed: number;
  /** What arrived and was not credited: the operator owes it to the payer. */
  refund_due: number;
  note: PaymentNote | null;
  created_at: number;
  /** Until when it can be paid. */
  expires_at: number;
  /** When what arrived was dealt with: from then on nothing more is credited. */
  settled_at: number | null;
  /** When to ask the provider next; null when there is nothing to ask. */
  ask_at: number | null;
};

/** A refund or dispute, under the provider's id. */
export type PaymentReversalRow = {
  provider: PaymentRow['provider'];
  id: string;
  payment_id: string;
  kind: 'refund' | 'dispute';
  amount: number;
  /** 0 once the provider has given it up. */
  stands: SqlBoolean;
  /** Counts what happened to it: each is posted to the ledger once. */
  changes: number;
  created_at: number;
};

/** The tables of payments, by their names. */
export type PaymentTables = { payments: PaymentRow; payment_reversals: PaymentReversalRow };
