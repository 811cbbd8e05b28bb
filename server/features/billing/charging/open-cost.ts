import { HOUR } from '../../../contract/limits.ts';
import type { BilledBucketRow, PriceRow } from '../tables.ts';
import { costOf, type Parts } from './pricing.ts';

/** What is still to be charged of a bucket for the hours of one price, as sums over these hours. */
export type OpenUse = {
  /** The hour from which the price applies. */
  priceHour: number;
  bandwidth: number;
  uploaded: number;
  /** How many more bytes are stored at the end of these hours than at their start. */
  change: bigint;
  /** What each hour's changes add until the end of their hour, in bytes × milliseconds. */
  byteMs: bigint;
  /** What they add from the end of their hour until the end of all, in bytes × hours. */
  byteHours: bigint;
};

/** A bucket with everything that is still to be charged of it up to a time, its end. */
export type OpenBucket = Pick<
  BilledBucketRow,
  'user_id' | 'bucket_id' | 'stored' | 'charged_until' | 'carry'
> & { uses: OpenUse[] };

/** Returns the bytes that a bucket stores at the end. */
export const storedAtEnd = ({ stored, uses }: OpenBucket): number =>
  Number(uses.reduce((sum, { change }) => sum + change, BigInt(stored)));

/**
 * Returns the exact cost of what is open of a bucket, each part at the price of its hour.
 * @param prices all prices so far, in order
 * @param end the end up to which `bucket` was read, the start of an hour in epoch milliseconds
 * @param until the end of the cost, within the last hour before `end`
 */
export function openCost(
  { stored, charged_until: chargedUntil, uses }: OpenBucket,
  prices: PriceRow[],
  end: number,
  until = end,
): Parts {
  const sum: Parts = { storage: 0n, bandwidth: 0n, upload: 0n };
  let earlier = 0n;
  prices.forEach((price, index) => {
    if (price.hour >= end) return;
    const to = Math.min(prices[index + 1]?.hour ?? end, end);
    const since = Math.max(price.hour, chargedUntil);
    let storedByteMs = BigInt(stored) * BigInt(Math.max(0, Math.min(to, until) - since));
    // What came in the hours of earlier prices is stored during all of this one.
    storedByteMs += earlier * BigInt(to - price.hour);
    let [bandwidth, uploaded] = [0, 0];
    for (const use of uses) {
      if (use.priceHour !== price.hour) continue;
      storedByteMs += use.byteMs + use.byteHours * BigInt(HOUR) - use.change * BigInt(end - to);
      earlier += use.change;
      bandwidth += use.bandwidth;
      uploaded += use.uploaded;
    }
    if (to === end) storedByteMs -= earlier * BigInt(end - until);
    const cost = costOf({ storedByteMs, bandwidth, uploaded }, price);
    sum.storage += cost.storage;
    sum.bandwidth += cost.bandwidth;
    sum.upload += cost.upload;
  });
  return sum;
}
