import { DAY } from '../../../contract/limits.ts';
import { toUsd } from '../../../contract/money.ts';
import type { BucketCostWire, CostsWire, SplitWire } from '../../../contract/wire.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { dayOf, monthOf } from '../../usage/service.ts';
import * as store from './costs-store.ts';
import { type OngoingBalance, openCosts } from './ongoing-balance.ts';
import { NOTHING, type Prices, type Split, storedUntil } from './pricing.ts';
import { readSettled } from './settled-read.ts';

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

export type BucketCharge = Split & { bucket_id: string };

/** Adds up what is charged and what is still open, by bucket. */
export function addUp(...all: BucketCharge[][]): BucketCharge[] {
  const buckets = new Map<string, BucketCharge>();
  for (const row of all.flat()) {
    const { bucket_id } = row;
    const sum = buckets.get(bucket_id);
    buckets.set(bucket_id, { bucket_id, ...sumOf(sum ? [sum, row] : [row]) });
  }
  return [...buckets.values()];
}

/** Returns parts that are not charged yet as charges. */
export const toCharges = (parts: OngoingBalance['parts']): BucketCharge[] =>
  parts.filter(({ total }) => total !== 0).map(({ bucket_id, split }) => ({ bucket_id, ...split }));

/** Returns the charges of buckets with their names, the most expensive first. */
export async function toBucketWires(db: Executor, rows: BucketCharge[]): Promise<BucketCostWire[]> {
  const names = await store.namesOf(
    db,
    rows.map(({ bucket_id }) => bucket_id),
  );
  return rows
    .map(({ bucket_id, ...split }) => ({
      id: bucket_id,
      name: names.get(bucket_id)?.name ?? '',
      deleted: names.get(bucket_id)?.isDeleted ?? true,
      ...toSplitWire(split),
    }))
    .sort((a, b) => b.total - a.total || (a.id < b.id ? -1 : 1));
}

/**
 * Returns what this month has cost up to now, by bucket and by kind, and an estimate of the whole
 * month. The estimate assumes that what is stored now stays, and that delivery and uploads continue at
 * their average rate. `prices` are micro-USD.
 */
export async function costsOf(
  db: Executor,
  userId: string,
  now: number,
  prices: Prices,
): Promise<CostsWire> {
  const month = monthOf(now);
  const end = nextMonth(month);
  const { open, charged } = await readSettled(db, userId, async () => {
    const open = await openCosts(db, userId, now);
    return { open, charged: await store.chargesOfMonth(db, userId, month) };
  });
  const { since, stored, chargedUntil } = open;
  const rows = addUp(charged, toCharges(since));
  const soFar = sumOf(rows);
  const start = Math.max(month, (await store.joinedAt(db, userId)) ?? month);
  const elapsed = now - start;
  const extrapolate = (amount: number) =>
    elapsed > 0 ? amount + Math.round((amount * (end - now)) / elapsed) : amount;
  return {
    month: new Date(month).toISOString().slice(0, 7),
    until: new Date(now).toISOString(),
    so_far: toSplitWire(soFar),
    projection: toSplitWire({
      storage: soFar.storage + storedUntil(stored, end - now, prices),
      bandwidth: extrapolate(soFar.bandwidth),
      upload: extrapolate(soFar.upload),
    }),
    recent: await recentRate(db, userId, dayOf(Math.min(now, chargedUntil))),
    buckets: await toBucketWires(db, rows),
  };
}

/** From how many charged days the current rate is computed. */
const RECENT_DAYS = 7;

/**
 * Returns the average charge of the last days before `end`, which is the start of a day, beginning with the
 * first of them that has a charge. Null where none has, because then there is no rate.
 */
async function recentRate(db: Executor, userId: string, end: number): Promise<CostsWire['recent']> {
  const days = await store.chargesByDay(db, userId, end - RECENT_DAYS * DAY, end);
  const total = ({ storage, bandwidth, upload }: Split) => storage + bandwidth + upload;
  const first = days.find((day) => total(day) > 0);
  if (!first) return null;
  const count = (end - first.day) / DAY;
  return { days: count, per_day: toUsd(Math.round(total(sumOf(days)) / count)) };
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
