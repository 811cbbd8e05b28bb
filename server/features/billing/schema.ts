import { t } from 'elysia';

export const BalanceAnswer = t.Object({
  credit: t.Number({ description: 'USD, with up to 6 decimals; below zero where it is owed.' }),
});

const split = {
  storage: t.Number(),
  bandwidth: t.Number(),
  upload: t.Number(),
  total: t.Number(),
};
const Split = t.Object(split);
const BucketCost = t.Object({
  id: t.String(),
  name: t.String(),
  deleted: t.Boolean({ description: 'The bucket is gone; the name is its last.' }),
  ...split,
});

export const CostsAnswer = t.Object({
  month: t.String({ description: 'Like 2026-11; months begin and end in UTC.' }),
  until: t.String({ description: 'What was used until then is in it.' }),
  soFar: Split,
  projection: t.Object(split, {
    description: 'What the whole month will cost if it goes on like this.',
  }),
  buckets: t.Array(BucketCost),
});

const summary = {
  month: t.String(),
  final: t.Boolean({ description: 'Whether nothing of the month can change any more.' }),
  opening: t.Number(),
  charged: t.Number(),
  added: t.Number({ description: 'All but charges: payments, credit, what was given back.' }),
  closing: t.Number(),
};

export const StatementListAnswer = t.Object({ data: t.Array(t.Object(summary)) });

export const StatementAnswer = t.Object({
  ...summary,
  entries: t.Array(
    t.Object({
      date: t.String(),
      kind: t.Union([
        t.Literal('credit'),
        t.Literal('charge'),
        t.Literal('payment'),
        t.Literal('refund'),
        t.Literal('dispute'),
        t.Literal('reversal'),
        t.Literal('grant'),
        t.Literal('forfeit'),
      ]),
      amount: t.Number(),
    }),
  ),
  costs: Split,
  buckets: t.Array(BucketCost),
});

export const StatementQuery = t.Object({
  format: t.Optional(
    t.Union([t.Literal('json'), t.Literal('csv')], { error: 'format must be json or csv.' }),
  ),
});
