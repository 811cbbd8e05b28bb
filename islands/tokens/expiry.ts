const MS = 1_000;

/**
 * When a token that is good through a day ends, in epoch seconds: the last second of that day where
 * its reader is. Zero, for never, where no day is chosen.
 * @param day 'yyyy-MM-dd' or empty
 */
export function expiryOf(day: string): number {
  if (day === '') return 0;
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return Math.floor(new Date(year, month - 1, date + 1).getTime() / MS) - 1;
}
