import { t } from 'elysia';
import { listQuery } from '../../../web/http/list-query.ts';

const { cursor, limit } = listQuery;
export const PaymentListQuery = t.Object({ cursor, limit });

export const PaymentAnswer = t.Object({
  id: t.String(),
  status: t.Union([
    t.Literal('pending'),
    t.Literal('paid'),
    t.Literal('failed'),
    t.Literal('expired'),
    t.Literal('refunded'),
  ]),
  method: t.Union([t.Literal('card'), t.Literal('crypto')]),
  amount: t.Number({ description: 'USD that were asked for' }),
  credited: t.Number({ description: 'USD that went to the balance' }),
  refunded: t.Number({ description: 'USD of those that were refunded or are disputed' }),
  note: t.Nullable(
    t.Union([
      t.Literal('refused'),
      t.Literal('short'),
      t.Literal('mismatch'),
      t.Literal('account-gone'),
    ]),
  ),
  date: t.String(),
});

export const PaymentPageAnswer = t.Object({
  data: t.Array(PaymentAnswer),
  nextId: t.Nullable(t.String()),
});

export const CardCheckoutAnswer = t.Object({ url: t.String() });
export const CryptoCheckoutAnswer = t.Object({ result: t.Object({ url: t.String() }) });
export const UpdateAnswer = t.Object({ pending: t.Integer() });
export const WebhookAnswer = t.Object({ received: t.Boolean() });
