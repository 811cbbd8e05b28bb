import { useSyncExternalStore } from 'react';
import {
  formatLocalDay,
  formatLocalMinute,
  formatMinute,
} from '../../../server/contract/dates/format.ts';

const never = () => () => {};

/**
 * A time in the viewer's zone, with UTC on hover. The server does not know the zone, so it renders UTC,
 * which is as wide, and the browser replaces it.
 */
export function Time({ iso, withTime = false }: { iso: string; withTime?: boolean }) {
  const utc = formatMinute(iso);
  const text = useSyncExternalStore(
    never,
    () => (withTime ? formatLocalMinute : formatLocalDay)(new Date(iso)),
    () => (withTime ? utc : utc.slice(0, 10)),
  );
  return (
    <time dateTime={iso} title={`${utc} UTC`} className="numbers whitespace-nowrap">
      {text}
    </time>
  );
}
