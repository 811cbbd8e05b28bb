/** Two calendar days, yyyy-MM-dd, both inclusive. */
export type DayRange = { from: string; to: string };

export const SEPARATOR = ' – ';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const two = (value: number) => String(value).padStart(2, '0');

/** The day that a date is on where it was made: a calendar's dates are local midnights. */
export const dayOf = (date: Date) =>
  `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

const dateOf = (day: string) => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date);
};

/** What a calendar shows as picked. */
export const datesOf = (range: DayRange | null): Date[] =>
  range ? [dateOf(range.from), dateOf(range.to)] : [];

/** What a calendar's picked dates mean; one date is a range of one day. */
export function rangeOf(dates: Date[]): DayRange | null {
  const [first, last = first] = dates.map(dayOf);
  return first && last ? { from: first, to: last } : null;
}

/** dd/MM/yyyy – dd/MM/yyyy, one day alone for a range of one, as flatpickr shows it; empty for none. */
export const shownRange = (range: DayRange | null): string =>
  range
    ? [...new Set([range.from, range.to])]
        .map((day) => day.split('-').reverse().join('/'))
        .join(SEPARATOR)
    : '';

/** A range out of a URL's parameters; null unless both are days, in order. */
export function readRange(from: string | null, to: string | null): DayRange | null {
  if (!from || !to || !DAY.test(from) || !DAY.test(to) || from > to) return null;
  const range = { from, to };
  // The thirtieth of February would turn into a day in March.
  return shownRange(rangeOf(datesOf(range))) === shownRange(range) ? range : null;
}
