import { DAY, HOUR, MINUTE, SECOND } from '../../contract/limits.ts';

/** After the first attempt come nine more, over three days, as Standard Webhooks recommends. */
export const RETRY_DELAYS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
/** What failed together is not to come back together: each delay grows by up to this share. */
const JITTER = 0.1;
const LONGEST_WAIT = DAY;
/** All three forms of an HTTP date begin with a weekday. */
const DATE = /^[A-Z][a-z]{2}/;

/**
 * Milliseconds to wait after the attempt number `step` (from 0) failed; null when it was the last.
 * An endpoint that asked for more time gets it, up to a day.
 */
export function delayAfter(
  step: number,
  retryAfter: number | null,
  random: () => number,
): number | null {
  const delay = RETRY_DELAYS[step];
  if (delay === undefined) return null;
  const asked = Math.min(retryAfter ?? 0, LONGEST_WAIT);
  return Math.round(Math.max(delay, asked) * (1 + JITTER * random()));
}

/** Milliseconds from a Retry-After header, in seconds or as a date (RFC 9110, 10.2.3). */
export function retryAfterOf(header: string | undefined, now: number): number | null {
  if (!header) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND;
  const date = DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
