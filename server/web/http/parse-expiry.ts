import { SECOND } from '../../contract/limits.ts';
import { invalid } from '../../errors.ts';

/** A day and a time with its zone, as in ISO 8601. */
const TIME = /^(\d{4}-\d\d-(\d\d))T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Returns the time of the field `expires_at` in epoch milliseconds, down to the second, because authorized URLs are
 * cached until the end of one. Throws invalid for a text that is no time in the future.
 */
export function parseExpiry(text: string, now: number): number {
  const [, day = '', dayOfMonth] = TIME.exec(text) ?? [];
  // JavaScript reads the thirtieth of February as a day in March.
  const isDay = new Date(`${day}T00:00:00Z`).getUTCDate() === Number(dayOfMonth);
  const time = isDay ? Math.floor(Date.parse(text) / SECOND) * SECOND : Number.NaN;
  if (time > now) return time;
  throw invalid(
    'expires_at must be a time in the future such as 2030-12-31T12:00:00Z, or null for never.',
  );
}
