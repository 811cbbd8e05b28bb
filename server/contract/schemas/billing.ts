import { t } from 'elysia';
import { LEDGER_KINDS } from '../money.ts';
import { oneOf } from './one-of.ts';

/** Amounts are USD with up to 6 decimals, dates ISO 8601 UTC, months '2026-11'. */

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
  // The dearest first.
  buckets: t.Array(BucketCost),
});

const summary = {
  month: t.String(),
  final: t.Boolean({ description: 'Whether nothing of the month can change any more.' }),
  opening: t.Number(),
  // Positive.
  charged: t.Number(),
  added: t.Number({ description: 'All but charges: payments, credit, what was given back.' }),
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
