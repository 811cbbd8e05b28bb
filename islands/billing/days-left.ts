import { count } from '../../server/contract/units.ts';
import type { CostsWire } from '../../server/contract/wire.ts';
import { formatEstimate } from './costs-panel.tsx';

const YEAR_DAYS = 365;

/** Returns how long a balance lasts at the current rate; null where it is used up or there is no rate. */
export function daysLeft(credit: number, recent: CostsWire['recent']): string | null {
  if (!recent || recent.per_day <= 0 || credit <= 0) return null;
  const days = Math.floor(credit / recent.per_day);
  const left =
    days > YEAR_DAYS
      ? 'More than a year'
      : days < 1
        ? 'Less than a day'
        : `About ${count(days, 'day')}`;
  const basis =
    recent.days === 1
      ? 'which was yesterday’s charge'
      : `the average of the last ${recent.days} days`;
  return `${left} left at ${formatEstimate(recent.per_day)} a day, ${basis}.`;
}
