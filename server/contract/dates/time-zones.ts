import { DAY, HOUR, SECOND } from '../limits.ts';

/** No zone has ever been further from UTC. */
const MAX_OFFSET_MS = 16 * HOUR;

/** Whether a text is the name of an IANA time zone, such as Europe/Berlin. */
export function isTimeZone(name: string): boolean {
  // Intl takes offsets such as +05:30 for zones, which don't change with the seasons.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

/**
 * Returns the first moment of a day in a time zone, in epoch milliseconds. It searches for it, because a day
 * can begin at one o'clock, where clocks are put forward at midnight, and some days were left out.
 * @param utcDay the start of the UTC day of the same date, in epoch milliseconds
 */
export function startOfDay(utcDay: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, calendar: 'gregory', numberingSystem: 'latn' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
  });
  const dateOf = (at: number) => {
    const parts = Object.fromEntries(
      format.formatToParts(at).map(({ type, value }) => [type, Number(value)]),
    );
    return Date.UTC(parts.year ?? 0, (parts.month ?? 1) - 1, parts.day);
  };
  // Years before Christ and those of two digits would be read wrongly, and nothing is that old.
  if (utcDay < DAY) return utcDay;
  let before = (utcDay - MAX_OFFSET_MS) / SECOND;
  let after = (utcDay + MAX_OFFSET_MS) / SECOND;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (dateOf(middle * SECOND) >= utcDay) after = middle;
    else before = middle;
  }
  return after * SECOND;
}
