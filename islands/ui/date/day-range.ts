import { isTimeZone } from '../../../server/contract/dates/time-zones.ts';

/** Two calendar days as yyyy-MM-dd, both inclusive, in the time zone `tz`; in UTC without one. */
export type DayRange = { from: string; to: string; tz?: string };

export const SEPARATOR = ' – ';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const two = (value: number) => String(value).padStart(2, '0');

/** Returns the local day of a date. A calendar's dates are local midnights. */
export const dayOf = (date: Date) =>
  `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

const dateOf = (day: string) => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date);
};

/** Returns the dates to show as picked in a calendar. */
export const datesOf = (range: DayRange | null): Date[] =>
  range ? [dateOf(range.from), dateOf(range.to)] : [];

/**
 * Returns the first month that a calendar of so many months shows: the last one is that of the range's end,
 * or the current one, because lists and charts have nothing in the future.
 */
export function firstMonthOf(range: DayRange | null, months: number, now: Date): Date {
  const last = datesOf(range)[1] ?? now;
  return new Date(last.getFullYear(), last.getMonth() - (months - 1), 1);
}

/** Returns the range of a calendar's picked dates. A single date is a range of one day. */
export function rangeOf(dates: Date[]): DayRange | null {
  const [first, last = first] = dates.map(dayOf);
  return first && last ? { from: first, to: last } : null;
}

/** Formats a range as flatpickr does: dd/MM/yyyy – dd/MM/yyyy, or one day alone. Null is empty. */
export const formatRange = (range: DayRange | null): string =>
  range
    ? [...new Set([range.from, range.to])]
        .map((day) => day.split('-').reverse().join('/'))
        .join(SEPARATOR)
    : '';

const TYPED_DAY = /\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[/.]\d{1,2}[/.]\d{4}/g;
const TYPED_SEPARATOR = /^\s*(–|-|to)?\s*$/;

/**
 * Parses what somebody has typed: one day or two, as dd/MM/yyyy or yyyy-MM-dd. Null for an empty text,
 * undefined for one that is no range.
 */
export function parseRange(text: string): DayRange | null | undefined {
  if (text.trim() === '') return null;
  const days = (text.match(TYPED_DAY) ?? []).map(toDay);
  if (days.length > 2 || !TYPED_SEPARATOR.test(text.replace(TYPED_DAY, ''))) return undefined;
  const [from = null, to = from] = days.toSorted();
  return readRange(from, to) ?? undefined;
}

function toDay(typed: string): string {
  const parts = typed.split(/[-/.]/);
  const [year = '', month = '', date = ''] = typed.includes('-') ? parts : parts.reverse();
  return `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
}

/** Returns a range of the same days in the viewer's time zone. UTC, the default, is left out. */
export function inViewersZone({ from, to }: DayRange): DayRange {
  const tz = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return tz !== 'UTC' && isTimeZone(tz ?? '') ? { from, to, tz } : { from, to };
}

/**
 * Parses a range from a URL's parameters `from`, `to` and `tz`. Returns null unless both are valid days in
 * order. A time zone that is not valid is ignored.
 */
export function readZonedRange(search: URLSearchParams): DayRange | null {
  const range = readRange(search.get('from'), search.get('to'));
  const tz = search.get('tz') ?? '';
  return range && isTimeZone(tz) ? { ...range, tz } : range;
}

/** Parses a range of UTC days from a URL's parameters. Returns null unless both are valid and in order. */
export function readRange(from: string | null, to: string | null): DayRange | null {
  if (!from || !to || !DAY.test(from) || !DAY.test(to) || from > to) return null;
  const range = { from, to };
  // Date turns 30 February into a day in March, which then differs from what was given.
  return formatRange(rangeOf(datesOf(range))) === formatRange(range) ? range : null;
}
