import { t } from 'elysia';
import { LEDGER_KINDS } from '../money.ts';
import { described, listQuery, named, oneOf, pageOf, wholeNumber } from './fields.ts';

/** Amounts are USD with up to 6 decimals, dates ISO 8601 UTC, months '2026-11'. */

export const BalanceResponse = named(
  'Balance',
  t.Object({
    credit: t.Number({ description: 'USD with up to 6 decimals; negative if it is owed.' }),
    paid: t.Number({
      description: 'The part of the credit that was paid, in USD. Granted credit is used first.',
    }),
  }),
);

const split = {
  storage: t.Number(),
  bandwidth: t.Number(),
  upload: t.Number(),
  total: t.Number(),
};
const Split = named('CostSplit', t.Object(split));
const BucketCost = named(
  'BucketCost',
  t.Object({
    id: t.String(),
    name: t.String(),
    deleted: t.Boolean({ description: 'The bucket was deleted; this is its last name.' }),
    ...split,
  }),
);

export const CostsResponse = named(
  'Costs',
  t.Object({
    month: t.String({ description: 'For example 2026-11. Months begin and end in UTC.' }),
    until: t.String({ description: 'Usage up to this time is included.' }),
    so_far: Split,
    projection: t.Object(split, {
      description: 'The projected cost of the whole month at the current rate.',
    }),
    recent: t.Nullable(
      t.Object({
        days: t.Integer({ description: 'How many charged days the average is of, 1 to 7.' }),
        per_day: t.Number({ description: 'The average charge of a day in USD.' }),
      }),
      { description: 'The current rate; null if nothing was charged in the last 7 days.' },
    ),
    buckets: described('The most expensive bucket comes first.', t.Array(BucketCost)),
  }),
);

const summary = {
  month: t.String(),
  final: t.Boolean({ description: 'Whether the statement is final.' }),
  opening: t.Number(),
  charged: t.Number({ description: 'What was used, also what is not charged yet.' }),
  added: t.Number({ description: 'Everything except charges: payments, credit and refunds.' }),
  closing: t.Number(),
};

export const StatementListResponse = named(
  'StatementList',
  t.Object({ data: t.Array(t.Object(summary)) }),
);

const Entry = named(
  'LedgerEntry',
  t.Object({ date: t.String(), kind: oneOf(LEDGER_KINDS), amount: t.Number() }),
);

const Day = named(
  'DailyCost',
  t.Object({
    date: t.String({ description: 'A day in UTC, for example 2026-11-21.' }),
    final: t.Boolean({ description: 'Whether the day is charged. Today is not.' }),
    ...split,
  }),
);

export const StatementResponse = named(
  'Statement',
  t.Object({
    ...summary,
    entries: t.Array(Entry),
    costs: Split,
    days: described(
      'The days with any charge, in order. Charges before daily charging are in `buckets` only.',
      t.Array(Day),
    ),
    buckets: t.Array(BucketCost),
  }),
);

export const StatementQuery = t.Object({
  format: t.Optional(oneOf(['json', 'csv'], { error: 'format must be json or csv.' })),
});

/** The statement, or with format=csv the text of a file. */
export const StatementOrCsv = t.Union([StatementResponse, t.String()]);

const { cursor, limit } = listQuery;
export const PaymentListQuery = t.Object({ cursor, limit });

export const DayChargesQuery = t.Object({ cursor });
/** What the buckets of an account were charged on a day, in the order of their ids. */
export const DayChargesResponse = named('DayChargePage', pageOf(BucketCost));

export const paymentMethod = oneOf(['card', 'crypto']);
/**
 * Why a payment was not credited: the provider refused to begin it, less arrived than was asked
 * for, something else arrived than was asked for, or the account was gone. 'surplus': more arrived
 * than one payment credits.
 */
export const paymentNote = t.Nullable(
  oneOf(['refused', 'short', 'mismatch', 'surplus', 'account-gone']),
);

export const PaymentResponse = named(
  'Payment',
  t.Object({
    id: t.String(),
    status: oneOf(['pending', 'paid', 'failed', 'expired', 'refunded']),
    method: paymentMethod,
    amount: t.Number({ description: 'Requested amount in USD' }),
    credited: t.Number({ description: 'USD credited to the balance' }),
    refunded: t.Number({ description: 'USD refunded or disputed' }),
    note: paymentNote,
    checkout_url: t.Nullable(t.String(), {
      description: 'The page of the provider where a pending payment can be continued',
    }),
    date: t.String(),
  }),
);

export const PaymentPageResponse = named('PaymentPage', pageOf(PaymentResponse));

export const CardCheckoutResponse = named('CardCheckout', t.Object({ url: t.String() }));
export const CryptoCheckoutResponse = named(
  'CryptoCheckout',
  t.Object({ result: t.Object({ url: t.String() }) }),
);
export const UpdateResponse = named('PendingPayments', t.Object({ pending: wholeNumber() }));
export const WebhookResponse = named('WebhookReceipt', t.Object({ received: t.Boolean() }));
