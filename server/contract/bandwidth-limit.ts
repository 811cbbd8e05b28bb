/** The share of a bandwidth limit at which the owner is warned. */
export const BANDWIDTH_WARNING_SHARE = 0.8;

/** Returns when the UTC month of a moment ends, both in epoch milliseconds. */
export function endOfMonth(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}
