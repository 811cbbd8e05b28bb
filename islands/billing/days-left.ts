import { formatBalance } from '../../server/contract/money.ts';
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

/** In USD: the balance at which the owner is told that it is low. */
export const LOW_BALANCE = 1;

/** Returns what happens next while a balance falls, and when; null where the warning of a used-up balance says it. */
export function nextThreshold(credit: number, recent: CostsWire['recent']): string | null {
  if (credit <= 0) return null;
  const level = credit > LOW_BALANCE ? LOW_BALANCE : 0;
  const days = remainingDays(credit - level, recent);
  const when =
    days === null
      ? ''
      : days > YEAR_DAYS
        ? ', in more than a year'
        : days < 1
          ? ', in less than a day'
          : `, in about ${count(days, 'day')}`;
  return `We’ll email you at ${formatBalance(level)}${when}.`;
}

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
