import { useSyncExternalStore } from 'react';

const two = (value: number) => String(value).padStart(2, '0');

/** Formats a date as dd/MM/yyyy in the viewer's time zone. */
export const localDay = (date: Date) =>
  `${two(date.getDate())}/${two(date.getMonth() + 1)}/${date.getFullYear()}`;

/** Formats the time of a date as HH:mm in the viewer's time zone. */
export const localTime = (date: Date) => `${two(date.getHours())}:${two(date.getMinutes())}`;

const localMinute = (date: Date) => `${localDay(date)} ${localTime(date)}`;

const utcMinute = (iso: string) =>
  `${iso.slice(8, 10)}/${iso.slice(5, 7)}/${iso.slice(0, 4)} ${iso.slice(11, 16)}`;

const never = () => () => {};

/**
 * A time in the viewer's zone, with UTC on hover. The server does not know the zone, so it renders UTC,
 * which is as wide, and the browser replaces it.
 */
export function Time({ iso, withTime = false }: { iso: string; withTime?: boolean }) {
  const utc = utcMinute(iso);
  const text = useSyncExternalStore(
    never,
    () => (withTime ? localMinute(new Date(iso)) : localDay(new Date(iso))),
    () => (withTime ? utc : utc.slice(0, 10)),
  );
  return (
    <time dateTime={iso} title={`${utc} UTC`} className="numbers whitespace-nowrap">
      {text}
    </time>
  );
}
