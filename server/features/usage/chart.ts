import {
  CHART_DAYS_MAX,
  CHART_DEFAULTS,
  CHART_UNITS,
  type ChartType,
} from '../../contract/charts.ts';
import { DAY } from '../../contract/limits.ts';
import type { ChartQuery, ChartWire } from '../../contract/wire.ts';
import { invalid } from '../../errors.ts';
import type { Executor } from '../../platform/db/port.ts';
import { dayOf, dayText, monthOf } from './periods.ts';
import { daysOf, storedBefore } from './series-store.ts';
import type { UsageDayRow } from './tables.ts';

const PERCENT = 100;

/** What happened on a day, and what was stored at its end, in bytes and requests. */
type Day = Omit<UsageDayRow, 'bucket_id' | 'uploaded'>;

/**
 * Returns daily values of a bucket up to today, and those of the period before. The disk value of a day is the one at
 * its end, or the current one for today. Disk-Active counts the files that still exist. Disk-All counts all
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
  const before = periodBefore(from, to);
  const days = await readDays(db, bucketId, before.from, to);
  const series = (first: number, last: number) =>
    seriesOf(
      type,
      scale,
      days.filter(({ day }) => day >= first && day <= last),
    );
  return { ...series(from, to), previous: series(before.from, before.to) };
}

/** Returns each day of a range. */
async function readDays(db: Executor, bucketId: string, from: number, to: number) {
  const rows = new Map((await daysOf(db, bucketId, from, to)).map((row) => [row.day, row]));
  const level = await storedBefore(db, bucketId, from);
  const days: Day[] = [];
  for (let day = from; day <= to; day += DAY) {
    const row = rows.get(day);
    level.stored += row?.stored ?? 0;
    level.kept += row?.kept ?? 0;
    const { removed = 0, bandwidth = 0, requests = 0, cached_requests = 0 } = row ?? {};
    days.push({ day, ...level, removed, bandwidth, requests, cached_requests });
  }
  return days;
}

/** Returns the values of days, and what they come to: their sum, their ratio, or the last one of what is stored. */
function seriesOf(type: ChartType, scale: number, days: Day[]) {
  const sum = (name: 'bandwidth' | 'requests' | 'cached_requests') =>
    days.reduce((total, day) => total + day[name], 0);
  const dailyValue = (day: Day): number => {
    switch (type) {
      case 'requests':
        return day.requests;
      case 'hit-ratio':
        return percentOf(day.cached_requests, day.requests);
      case 'bandwidth':
        return day.bandwidth / scale;
      case 'disk-active':
        return day.kept / scale;
      case 'disk-all':
        return (day.stored + day.removed) / scale;
    }
  };
  const stats = days.map((day) => ({ date: dayText(day.day), data: dailyValue(day) }));
  const totals: Partial<Record<ChartType, number>> = {
    bandwidth: sum('bandwidth') / scale,
    requests: sum('requests'),
    'hit-ratio': percentOf(sum('cached_requests'), sum('requests')),
  };
  return { usage: totals[type] ?? stats.at(-1)?.data ?? 0, stats };
}

const percentOf = (part: number, whole: number) => (whole === 0 ? 0 : (part / whole) * PERCENT);

/**
 * Returns the days with which a range is compared: as many just before it, or the same days of the month before, where
 * it begins with a month and ends in it.
 */
export function periodBefore(from: number, to: number): { from: number; to: number } {
  if (monthOf(to) !== from) return { from: from - (to - from + DAY), to: from - DAY };
  const start = monthOf(from - DAY);
  return { from: start, to: Math.min(start + (to - from), from - DAY) };
}

/**
 * Returns the first and the last day of a query, by default those of this month. None is after
 * today. Throws invalid.
 * @param maxDays the most days that the range can have
 */
export function rangeOf(
  { from, to }: Pick<ChartQuery, 'from' | 'to'>,
  now: number,
  maxDays: number = CHART_DAYS_MAX,
) {
  const today = dayOf(now);
  const last = to ? readDay('to', to) : today;
  const first = from ? readDay('from', from) : monthOf(Math.min(last, today));
  if (first > last && from && to) throw invalid('from must not be after to.');
  if ((last - first) / DAY >= maxDays) {
    throw invalid(`The range can have at most ${maxDays} days.`);
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
