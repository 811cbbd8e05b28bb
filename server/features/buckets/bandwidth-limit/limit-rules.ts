import { BANDWIDTH_NOTICES, endOfDay, endOfMonth } from '../../../contract/delivery-limits.ts';
import type { BucketRow } from '../tables.ts';

export type LimitState = Pick<
  BucketRow,
  | 'bandwidth_warned_until'
  | 'bandwidth_warned_percent'
  | 'bandwidth_day_warned_until'
  | 'bandwidth_day_warned_percent'
  | 'delivery_stopped_until'
>;
export type Limits = Pick<BucketRow, 'bandwidth_limit' | 'bandwidth_daily_limit'>;
export type LimitPeriod = 'day' | 'month';
/** A mail to the owner: the bucket has sent this share of a limit. At 100 it has stopped. */
export type LimitNotice = { period: LimitPeriod; percent: number; limit: number; until: number };
/** The bytes that a bucket has sent this UTC day and month. */
export type BytesSent = Record<LimitPeriod, number>;

/**
 * Decides what a bucket's bandwidth limits do at this moment, and which mails its owner gets. A share of a
 * limit is announced once in its period, and only the largest that is reached.
 */
export function decideLimits(
  bucket: Limits & LimitState,
  used: BytesSent,
  now: number,
): { state: LimitState; notices: LimitNotice[] } {
  const day = reach(bucket.bandwidth_daily_limit, used.day);
  const month = reach(bucket.bandwidth_limit, used.month);
  const [dayEnd, monthEnd] = [endOfDay(now), endOfMonth(now)];
  const toldOfDay =
    bucket.bandwidth_day_warned_until === dayEnd ? bucket.bandwidth_day_warned_percent : null;
  const toldOfMonth =
    bucket.bandwidth_warned_until === monthEnd ? bucket.bandwidth_warned_percent : null;
  const notices: LimitNotice[] = [];
  if (day && day.percent > (toldOfDay ?? 0)) notices.push({ period: 'day', until: dayEnd, ...day });
  if (month && month.percent > (toldOfMonth ?? 0)) {
    notices.push({ period: 'month', until: monthEnd, ...month });
  }
  const stoppedByDay = day?.percent === 100 ? dayEnd : null;
  const state = {
    bandwidth_day_warned_until: day ? dayEnd : null,
    bandwidth_day_warned_percent: day?.percent ?? null,
    bandwidth_warned_until: month ? monthEnd : null,
    bandwidth_warned_percent: month?.percent ?? null,
    delivery_stopped_until: month?.percent === 100 ? monthEnd : stoppedByDay,
  };
  return { state, notices };
}

/** Returns the largest share of a limit that is reached; null below the first, and without a limit. */
function reach(limit: number | null, used: number): { percent: number; limit: number } | null {
  if (limit === null) return null;
  const percent = BANDWIDTH_NOTICES.findLast((share) => used * 100 >= limit * share);
  return percent === undefined ? null : { percent, limit };
}
