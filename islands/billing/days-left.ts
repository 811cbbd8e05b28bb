import { count } from '../../server/contract/units.ts';
import type { CostsWire } from '../../server/contract/wire.ts';
import { formatEstimate } from './costs-panel.tsx';

const YEAR_DAYS = 365;

/** Returns for how many days a balance lasts at the current rate; null where it is used up or there is no rate. */
export function remainingDays(credit: number, recent: CostsWire['recent']): number | null {
  if (!recent || recent.per_day <= 0 || credit <= 0) return null;
  return Math.floor(credit / recent.per_day);
}

/** Returns a number of days as text, such as 'About 43 days left'. */
export const daysLeftText = (days: number): string =>
  days > YEAR_DAYS
    ? 'More than a year left'
    : days < 1
      ? 'Less than a day left'
      : `About ${count(days, 'day')} left`;

/** Returns how long a balance lasts, and at which rate; null where it is used up or there is no rate. */
export function daysLeft(credit: number, recent: CostsWire['recent']): string | null {
  const days = remainingDays(credit, recent);
  if (days === null || !recent) return null;
  const basis =
    recent.days === 1
      ? 'which was yesterday’s charge'
      : `the average of the last ${recent.days} days`;
  return `${daysLeftText(days)} at ${formatEstimate(recent.per_day)} a day, ${basis}.`;
}
