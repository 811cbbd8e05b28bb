import { t } from 'elysia';
import { LEDGER_KINDS } from '../money.ts';
import { oneOf } from './one-of.ts';

/** Amounts are USD with up to 6 decimals, dates ISO 8601 UTC, months '2026-11'. */

export const BalanceAnswer = t.Object({
  credit: t.Number({ description: 'USD with up to 6 decimals; negative if it is owed.' }),
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
  deleted: t.Boolean({ description: 'The bucket was deleted; this is its last name.' }),
  ...split,
});

export const CostsAnswer = t.Object({
  month: t.String({ description: 'For example 2026-11. Months begin and end in UTC.' }),
  until: t.String({ description: 'Usage up to this time is included.' }),
  soFar: Split,
  projection: t.Object(split, {
    description: 'The projected cost of the whole month at the current rate.',
  }),
  // The dearest first.
  buckets: t.Array(BucketCost),
});

const summary = {
  month: t.String(),
  final: t.Boolean({ description: 'Whether the statement is final.' }),
  opening: t.Number(),
  // Positive.
  charged: t.Number(),
  added: t.Number({ description: 'Everything except charges: payments, credit and refunds.' }),
  closing: t.Number(),
};

export const StatementListAnswer = t.Object({ data: t.Array(t.Object(summary)) });

const Entry = t.Object({ date: t.String(), kind: oneOf(LEDGER_KINDS), amount: t.Number() });

export const StatementAnswer = t.Object({
  ...summary,
  entries: t.Array(Entry),
  costs: Split,
  buckets: t.Array(BucketCost),
});

export const StatementQuery = t.Object({
  format: t.Optional(oneOf(['json', 'csv'], { error: 'format must be json or csv.' })),
});

/** The statement, or with format=csv the text of a file. */
export const StatementOrCsv = t.Union([StatementAnswer, t.String()]);
