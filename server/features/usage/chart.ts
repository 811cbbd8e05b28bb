import { CHART_DAYS_MAX, CHART_DEFAULTS, CHART_UNITS } from '../../contract/charts.ts';
import { DAY } from '../../contract/limits.ts';
import type { ChartQuery, ChartWire } from '../../contract/wire.ts';
import { invalid } from '../../errors.ts';
import type { Executor } from '../../platform/db/port.ts';
import { dayOf, dayText, monthOf } from './periods.ts';
import { daysOf, storedBefore } from './series-store.ts';

/**
 * Returns daily values of a bucket up to today. The disk value of a day is the one at its end, or
 * the current one for today. Disk-Active counts the files that still exist. Disk-All counts all
 * files, also those that were deleted on that day. Throws invalid.
 */
export async function chartOf(
  db: Executor,
  bucketId: string,
  query: ChartQuery,
  now: number,
): Promise<ChartWire> {
  const type = query.chartType || CHART_DEFAULTS.chartType;
  const scale = CHART_UNITS[query.unit || CHART_DEFAULTS.unit];
  const { from, to } = rangeOf(query, now);
  const days = new Map((await daysOf(db, bucketId, from, to)).map((row) => [row.day, row]));
  const level = await storedBefore(db, bucketId, from);

  const stats = [];
  let sum = 0;
  for (let day = from; day <= to; day += DAY) {
    const { stored = 0, kept = 0, removed = 0, bandwidth = 0 } = days.get(day) ?? {};
    level.stored += stored;
    level.kept += kept;
    const disk = type === 'disk-active' ? level.kept : level.stored + removed;
    const bytes = type === 'bandwidth' ? bandwidth : disk;
    sum += bandwidth;
    stats.push({ date: dayText(day), data: bytes / scale });
  }
  const usage = type === 'bandwidth' ? sum / scale : (stats.at(-1)?.data ?? 0);
  return { usage, stats };
}

/**
 * Returns the first and the last day of a query, by default those of this month. None is after
 * today. Throws invalid.
 */
export function rangeOf({ from, to }: Pick<ChartQuery, 'from' | 'to'>, now: number) {
  const today = dayOf(now);
  const last = to ? readDay('to', to) : today;
  const first = from ? readDay('from', from) : monthOf(Math.min(last, today));
  if (first > last && from && to) throw invalid('from must not be after to.');
  if ((last - first) / DAY >= CHART_DAYS_MAX) {
    throw invalid(`The range can have at most ${CHART_DAYS_MAX} days.`);
  }
  return { from: first, to: Math.min(last, today) };
}

/** Returns the start of a UTC day such as '2026-11-21'. Throws invalid, with the name of the value. */
export function readDay(name: string, text: string): number {
  const day = Date.parse(`${text}T00:00:00.000Z`);
  // Some JavaScript engines parse the thirtieth of February as a day in March.
  if (!Number.isFinite(day) || dayText(day) !== text) {
    throw invalid(`${name} must be a day like 2025-12-31.`);
  }
  return day;
}
