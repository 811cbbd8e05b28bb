import type { Static } from 'elysia';
import type { CostsAnswer, StatementAnswer, StatementListAnswer } from './schemas/billing.ts';

/** What billing answers. Amounts are USD with up to 6 decimals, dates ISO 8601 UTC, months '2026-11'. */

export type CostsWire = Static<typeof CostsAnswer>;
export type SplitWire = CostsWire['soFar'];
export type BucketCostWire = CostsWire['buckets'][number];

export type StatementWire = Static<typeof StatementAnswer>;
export type StatementEntryWire = StatementWire['entries'][number];
export type StatementSummaryWire = Static<typeof StatementListAnswer>['data'][number];
