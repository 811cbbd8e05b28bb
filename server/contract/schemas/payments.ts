import { t } from 'elysia';
import { listQuery, pageOf } from './list-query.ts';
import { oneOf } from './one-of.ts';

const { cursor, limit } = listQuery;
export const PaymentListQuery = t.Object({ cursor, limit });

export const paymentMethod = oneOf(['card', 'crypto']);
/**
 * Why a payment was not credited: the provider refused to begin it, less arrived than was asked for,
 * something else arrived than was asked for, or the account was gone.
 */
export const paymentNote = t.Nullable(oneOf(['refused', 'short', 'mismatch', 'account-gone']));

export const PaymentAnswer = t.Object({
  id: t.String(),
  status: oneOf(['pending', 'paid', 'failed', 'expired', 'refunded']),
  method: paymentMethod,
  amount: t.Number({ description: 'Requested amount in USD' }),
  credited: t.Number({ description: 'USD credited to the balance' }),
  refunded: t.Number({ description: 'USD refunded or disputed' }),
  note: paymentNote,
  date: t.String(),
});

export const PaymentPageAnswer = pageOf(PaymentAnswer);

export const CardCheckoutAnswer = t.Object({ url: t.String() });
export const CryptoCheckoutAnswer = t.Object({ result: t.Object({ url: t.String() }) });
export const UpdateAnswer = t.Object({ pending: t.Integer() });
export const WebhookAnswer = t.Object({ received: t.Boolean() });
