import type { LedgerKind } from './money.ts';

/** What billing answers. Amounts are USD with up to 6 decimals, dates ISO 8601 UTC, months '2026-11'. */

export type SplitWire = { storage: number; bandwidth: number; upload: number; total: number };

export type BucketCostWire = SplitWire & { id: string; name: string; deleted: boolean };

export type CostsWire = {
  month: string;
  /** What was used until then is in it. */
  until: string;
  soFar: SplitWire;
  /** What the whole month will cost if it goes on like this. */
  projection: SplitWire;
  /** The dearest first. */
  buckets: BucketCostWire[];
};

export type StatementSummaryWire = {
  month: string;
  /** Whether nothing of the month can change any more. */
  final: boolean;
  opening: number;
  /** What was charged: positive. */
  charged: number;
  /** All else, such as payments. */
  added: number;
  closing: number;
};

export type StatementEntryWire = { date: string; kind: LedgerKind; amount: number };

export type StatementWire = StatementSummaryWire & {
  entries: StatementEntryWire[];
  costs: SplitWire;
  buckets: BucketCostWire[];
};
