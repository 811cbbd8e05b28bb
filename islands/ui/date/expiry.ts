const MS = 1_000;

/**
 * Returns when a token or key expires, in epoch seconds: the last second of a day in the user's time zone, or
 * zero for never if no day was chosen.
 * @param day 'yyyy-MM-dd' or empty
 */
export function expiryOf(day: string): number {
  if (day === '') return 0;
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return Math.floor(new Date(year, month - 1, date + 1).getTime() / MS) - 1;
}
