import { DAY, HOUR, MINUTE, SECOND } from '../../contract/limits.ts';

/** Nine more attempts follow the first one over three days, as Standard Webhooks recommends. */
export const RETRY_DELAYS_MS = [
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
/**
 * Each delay grows by a random share up to this, so that deliveries which failed together are not retried
 * together.
 */
const JITTER = 0.1;
const MAX_RETRY_AFTER_MS = DAY;
/** All three forms of an HTTP date begin with the name of a weekday. */
const DATE = /^[A-Z][a-z]{2}/;

/**
 * Returns the milliseconds to wait after attempt number `step` (from 0) failed; null after the last one. An
 * endpoint that asked for more time with Retry-After gets it, up to a day.
 */
export function delayAfter(
  step: number,
  retryAfter: number | null,
  random: () => number,
): number | null {
  const delay = RETRY_DELAYS_MS[step];
  if (delay === undefined) return null;
  const requestedDelay = Math.min(retryAfter ?? 0, MAX_RETRY_AFTER_MS);
  return Math.round(Math.max(delay, requestedDelay) * (1 + JITTER * random()));
}

/** Parses a Retry-After header, in seconds or as a date (RFC 9110, 10.2.3), into milliseconds. */
export function retryAfterOf(header: string | undefined, now: number): number | null {
  if (!header) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND;
  const date = DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
