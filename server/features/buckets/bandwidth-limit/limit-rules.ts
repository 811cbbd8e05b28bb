import { BANDWIDTH_WARNING_SHARE, endOfMonth } from '../../../contract/bandwidth-limit.ts';
import type { BucketRow } from '../tables.ts';

export type LimitState = Pick<BucketRow, 'bandwidth_warned_until' | 'delivery_stopped_until'>;
export type LimitNotice = 'near' | 'reached';

/**
 * Decides what a bucket's bandwidth limit does at this moment, and which mail its owner gets, one
 * of each kind in a month.
 * @param used the bytes that the bucket has sent this UTC month
 */
export function decideLimit(
  bucket: Pick<BucketRow, 'bandwidth_limit'> & LimitState,
  used: number,
  now: number,
): { state: LimitState; notice: LimitNotice | null } {
  const limit = bucket.bandwidth_limit ?? Number.POSITIVE_INFINITY;
  const end = endOfMonth(now);
  const isReached = used >= limit;
  const isNear = used >= limit * BANDWIDTH_WARNING_SHARE;
  const state = {
    bandwidth_warned_until: isNear ? end : null,
    delivery_stopped_until: isReached ? end : null,
  };
  if (isReached) {
    return { state, notice: bucket.delivery_stopped_until === end ? null : 'reached' };
  }
  return { state, notice: isNear && bucket.bandwidth_warned_until !== end ? 'near' : null };
}
