import type { HomeSummary, MonthSeries } from '../../contract/home/summary.ts';
import { DAY } from '../../contract/limits.ts';
import { type AccountDay, dayOf, monthOf } from '../usage/service.ts';

/** Returns the start of the UTC month before that of a moment, both in epoch milliseconds. */
export const previousMonthOf = (at: number): number => monthOf(monthOf(at) - 1);

/**
 * Returns the values of each day of this UTC month and of the one before, in bytes and requests.
 * @param days what changed since the start of the month before; days without change may be missing
 * @param stored the bytes that are stored at `now`
 */
export function monthsOf(
  days: AccountDay[],
  stored: number,
  now: number,
): NonNullable<HomeSummary['months']> {
  const changes = new Map(days.map((row) => [row.day, row]));
  const all = daysFrom(previousMonthOf(now), dayOf(now));
  const sumsOf = (name: 'bandwidth' | 'requests') =>
    all.map((day) => changes.get(day)?.[name] ?? 0);
  // What is stored at the end of a day follows from what is stored now, backwards.
  const levels: number[] = [];
  let level = stored;
  for (const day of all.toReversed()) {
    levels.unshift(Math.max(0, level));
    level -= changes.get(day)?.stored ?? 0;
  }
  const previousDays = (monthOf(now) - previousMonthOf(now)) / DAY;
  const split = (values: number[]): MonthSeries => ({
    days: values.slice(previousDays),
    before: values.slice(0, previousDays),
  });
  return {
    storage: split(levels),
    bandwidth: split(sumsOf('bandwidth')),
    requests: split(sumsOf('requests')),
  };
}

/** Returns the starts of the days from one to another, both inclusive. */
const daysFrom = (first: number, last: number): number[] =>
  Array.from({ length: (last - first) / DAY + 1 }, (_, index) => first + index * DAY);
