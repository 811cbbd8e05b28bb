import { DAY, MINUTE } from '../../../contract/limits.ts';
import { AppError } from '../../../errors.ts';
import type { ProviderName } from '../../../platform/payments/port.ts';
import type { PaymentRow } from './tables.ts';

/** The row of a payment before its provider is asked for anything. `amount` in micro-dollars. */
export const newPayment = (
  id: string,
  userId: string,
  provider: ProviderName,
  amount: number,
  now: number,
): PaymentRow => ({
  id,
  user_id: userId,
  provider,
  amount,
  status: 'pending',
  checkout_id: null,
  reference: null,
  received: 0,
  credited: 0,
  reversed: 0,
  refund_due: 0,
  note: null,
  created_at: now,
  expires_at: now + DAY,
  settled_at: null,
  ask_at: now + MINUTE,
});

/** The same failure of a payment that has not begun: only then is it known that nobody has paid. */
export const notCharged = ({ status, code, text, headers, retry }: AppError): AppError =>
  new AppError(status, code, `${text} Nothing was charged.`, headers, { retry });
