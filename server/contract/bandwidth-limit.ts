/** The shares of a bandwidth limit, in per cent, at which the owner gets an email. */
export const BANDWIDTH_NOTICES = [50, 80, 100];

/** Returns when the UTC day of a moment ends, both in epoch milliseconds. */
export function endOfDay(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1);
}

/** Returns when the UTC month of a moment ends, both in epoch milliseconds. */
export function endOfMonth(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}
