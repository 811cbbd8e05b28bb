const short = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });
const full = new Intl.DateTimeFormat('en-US', {
  month: 'long',
  day: 'numeric',
  year: 'numeric',
  timeZone: 'UTC',
});

/** 'Jan 31' */
export const shortDay = (day: string) => short.format(new Date(day));
/** 'January 31, 2025' */
export const fullDay = (day: string) => full.format(new Date(day));

/** The days that get a label, so that no more than `most` stand beside each other; the last is one. */
export function labelledDays(days: string[], most: number): Set<string> {
  const step = Math.max(1, Math.ceil(days.length / Math.max(1, most)));
  return new Set(days.filter((_, index) => (days.length - 1 - index) % step === 0));
}
