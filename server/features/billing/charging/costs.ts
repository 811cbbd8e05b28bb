import { toUsd } from '../../../contract/money.ts';
import type { CostsWire, SplitWire } from '../../../contract/wire.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { monthOf } from '../../usage/service.ts';
import { chargedUntil } from './charges-store.ts';
import * as store from './costs-store.ts';
import { type Prices, type Split, storedUntil } from './pricing.ts';

const NOTHING: Split = { storage: 0, bandwidth: 0, upload: 0 };

/** Returns the micro-USD of the three kinds in dollars, with their sum. */
export const toSplitWire = (split: Split): SplitWire => ({
  storage: toUsd(split.storage),
  bandwidth: toUsd(split.bandwidth),
  upload: toUsd(split.upload),
  total: toUsd(split.storage + split.bandwidth + split.upload),
});

/** Adds costs up by kind. */
export const sumOf = (rows: Split[]): Split =>
  rows.reduce(
    (sum, row) => ({
      storage: sum.storage + row.storage,
      bandwidth: sum.bandwidth + row.bandwidth,
      upload: sum.upload + row.upload,
    }),
    NOTHING,
  );

/**
 * Returns what this month has cost so far, by bucket and by kind, up to the last charged hour, and
 * an estimate of the whole month. The estimate assumes that what is stored now stays, and that
 * delivery and uploads continue at their average rate. `prices` are micro-USD.
 */
export async function costsOf(
  db: Executor,
  userId: string,
  now: number,
  prices: Prices,
): Promise<CostsWire> {
  const month = monthOf(now);
  const end = nextMonth(month);
  const until = Math.max(month, Math.min(await chargedUntil(db), now));
  const rows = await store.costsOfMonth(db, userId, month);
  const soFar = sumOf(rows);
  const start = Math.max(month, (await store.joinedAt(db, userId)) ?? month);
  const elapsed = until - start;
  const extrapolate = (amount: number) =>
    elapsed > 0 ? amount + Math.round((amount * (end - until)) / elapsed) : amount;
  const stored = await store.storedBy(db, userId);
  return {
    month: new Date(month).toISOString().slice(0, 7),
    until: new Date(until).toISOString(),
    soFar: toSplitWire(soFar),
    projection: toSplitWire({
      storage: soFar.storage + storedUntil(stored, end - until, prices),
      bandwidth: extrapolate(soFar.bandwidth),
      upload: extrapolate(soFar.upload),
    }),
    buckets: rows
      .map(({ bucket_id, name, isDeleted, ...split }) => ({
        id: bucket_id,
        name,
        deleted: isDeleted,
        ...toSplitWire(split),
      }))
      .sort((a, b) => b.total - a.total || (a.id < b.id ? -1 : 1)),
  };
}

/** Returns the start of the next UTC month. `month` is the start of a month. */
export const nextMonth = (month: number): number => {
  const date = new Date(month);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
};

/** Returns a month as text, such as '2026-11'. */
export const monthText = (month: number): string => new Date(month).toISOString().slice(0, 7);

/** Returns the start of a month such as '2026-11'; null for text that is not a month. */
export function readMonth(text: string): number | null {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return null;
  return Date.parse(`${text}-01T00:00:00.000Z`);
}
