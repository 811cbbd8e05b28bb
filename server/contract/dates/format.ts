import { memoize } from '../memoize.ts';

/*
 * The one place that writes dates for people: dd/MM/yyyy, with HH:mm where the time matters. Charts name months, as the
 * specification has it. Files and terminals have ISO 8601.
 */

const two = (value: number) => String(value).padStart(2, '0');

/** Formats the day of an ISO text, such as '2026-11-21' or '2026-11-21T18:30:00Z', as '21/11/2026'. */
export const formatDay = (iso: string): string =>
  `${iso.slice(8, 10)}/${iso.slice(5, 7)}/${iso.slice(0, 4)}`;

/** Formats an ISO text in UTC as '21/11/2026 18:30'. */
export const formatMinute = (iso: string): string => `${formatDay(iso)} ${iso.slice(11, 16)}`;

/** Formats a time in epoch milliseconds as '21/11/2026 18:30 UTC', for emails, which know no zone of their readers. */
export const formatUtc = (at: number): string => `${formatMinute(new Date(at).toISOString())} UTC`;

/** Formats a date as '21/11/2026' in the viewer's time zone. */
export const formatLocalDay = (date: Date): string =>
  `${two(date.getDate())}/${two(date.getMonth() + 1)}/${date.getFullYear()}`;

/** Formats the time of a date as '18:30' in the viewer's time zone. */
export const formatLocalTime = (date: Date): string =>
  `${two(date.getHours())}:${two(date.getMinutes())}`;

/** Formats a date as '21/11/2026 18:30' in the viewer's time zone. */
export const formatLocalMinute = (date: Date): string =>
  `${formatLocalDay(date)} ${formatLocalTime(date)}`;

const inUtc = (options: Intl.DateTimeFormatOptions) =>
  memoize(() => new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' }));
const short = inUtc({ month: 'short', day: 'numeric' });
const full = inUtc({ month: 'long', day: 'numeric', year: 'numeric' });
const month = inUtc({ month: 'long', year: 'numeric' });

/** Formats a day for the axis of a chart, such as 'Nov 21'. */
export const shortDay = (day: string): string => short().format(new Date(day));

/** Formats a day for the tooltip of a chart, such as 'November 21, 2026'. */
export const fullDay = (day: string): string => full().format(new Date(day));

/** Formats '2026-11' as 'November 2026'. */
export const formatMonth = (text: string): string =>
  month().format(new Date(`${text}-01T00:00:00Z`));
