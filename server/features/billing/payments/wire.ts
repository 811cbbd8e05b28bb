import { toUsd } from '../../../contract/money.ts';
import type { PaymentWire } from '../../../contract/wire.ts';
import type { PaymentRow } from '../../../platform/db/tables-payments.ts';

export const METHODS = { stripe: 'card', cryptomus: 'crypto' } as const;

export const toWire = (row: PaymentRow): PaymentWire => ({
  id: row.id,
  status: row.status,
  method: METHODS[row.provider],
  amount: toUsd(row.amount),
  credited: toUsd(row.credited),
  refunded: toUsd(row.reversed),
  note: row.note,
  date: new Date(row.created_at).toISOString(),
});
