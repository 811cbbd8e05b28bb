import { shortDay } from '../../server/contract/dates/format.ts';
import type { MonthSeries } from '../../server/contract/home/summary.ts';
import { formatBytes } from '../../server/contract/units.ts';

const PERCENT = 100;
/** From this factor on, per cent say less than the two amounts. */
const MAX_PERCENT = 999;

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

/**
 * Returns the sum of this month's days, the sum of as many days of the month before, and the change between them
 * as text, such as '+12%'; null where there is nothing to compare with.
 */
export function compareMonths({ days, before }: MonthSeries) {
  const current = sum(days);
  const previous = sum(before.slice(0, days.length));
  const percent = Math.round(((current - previous) / previous) * PERCENT);
  const change = previous === 0 || percent > MAX_PERCENT ? null : withSign(percent, `${percent}%`);
  return { current, previous, change };
}

/** Returns by how much the last of this month's values differs from the last one of the month before. */
export function formatGrowth({ days, before }: MonthSeries): string {
  const growth = (days.at(-1) ?? 0) - (before.at(-1) ?? 0);
  if (growth === 0) return 'Unchanged this month';
  return `${growth > 0 ? '+' : '−'}${formatBytes(Math.abs(growth))} this month`;
}

const withSign = (value: number, text: string) => (value > 0 ? `+${text}` : text.replace('-', '−'));

/**
 * Returns the days of the month before with which this month is compared, such as 'Oct 1–28'.
 * @param today yyyy-MM-dd
 */
export function previousDays(today: string, { days, before }: MonthSeries): string {
  const date = new Date(today);
  date.setUTCMonth(date.getUTCMonth() - 1, 1);
  const last = Math.min(days.length, before.length);
  const first = shortDay(date.toISOString());
  return last === 1 ? first : `${first}–${last}`;
}
