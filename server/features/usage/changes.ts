import { dayOf } from './periods.ts';
import type { DayChange, HourChange } from './store.ts';
import type { AccountStatsRow, UsageChangeRow } from './tables.ts';

/** What changes of one bucket add up to, for one hour and one day of what is kept. */
export type UsageChange = Omit<UsageChangeRow, 'id'>;

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Returns what changes add to hours, in the order of their keys. */
export function hoursOf(changes: UsageChange[]): HourChange[] {
  const hours = new Map<string, Required<Omit<HourChange, 'bandwidth'>>>();
  for (const change of changes) {
    const { user_id, bucket_id, hour } = change;
    const { uploaded, stored_change, stored_gib_ms, stored_byte_ms } = change;
    if (uploaded === 0 && stored_change === 0 && stored_gib_ms === 0 && stored_byte_ms === 0) {
      continue;
    }
    const key = `${bucket_id} ${hour}`;
    const sum = hours.get(key);
    hours.set(key, {
      ...{ user_id, bucket_id, hour },
      uploaded: uploaded + (sum?.uploaded ?? 0),
      stored_change: stored_change + (sum?.stored_change ?? 0),
      stored_gib_ms: stored_gib_ms + (sum?.stored_gib_ms ?? 0),
      stored_byte_ms: stored_byte_ms + (sum?.stored_byte_ms ?? 0),
    });
  }
  return [...hours.values()].sort(
    (a, b) => byText(a.user_id, b.user_id) || byText(a.bucket_id, b.bucket_id) || a.hour - b.hour,
  );
}

/** Returns what changes add to days, in the order of their keys. */
export function daysOf(changes: UsageChange[]): DayChange[] {
  const days = new Map<
    string,
    Required<Omit<DayChange, 'bandwidth' | 'requests' | 'cached_requests'>>
  >();
  const add = (bucket_id: string, day: number, more: Partial<DayChange>) => {
    const { stored = 0, uploaded = 0, kept = 0, removed = 0 } = more;
    if (stored === 0 && uploaded === 0 && kept === 0 && removed === 0) return;
    const key = `${bucket_id} ${day}`;
    const sum = days.get(key);
    days.set(key, {
      ...{ bucket_id, day },
      stored: stored + (sum?.stored ?? 0),
      uploaded: uploaded + (sum?.uploaded ?? 0),
      kept: kept + (sum?.kept ?? 0),
      removed: removed + (sum?.removed ?? 0),
    });
  };
  for (const { bucket_id, hour, kept_day, stored_change, uploaded, removed, kept } of changes) {
    add(bucket_id, dayOf(hour), { stored: stored_change, uploaded, removed });
    add(bucket_id, kept_day, { kept });
  }
  return [...days.values()].sort((a, b) => byText(a.bucket_id, b.bucket_id) || a.day - b.day);
}

/** By how many files and bytes a bucket changes. */
export type BucketChange = { id: string; files: number; bytes: number };

/** Returns what changes add to buckets, in the order of their ids. */
export function bucketsOf(changes: UsageChange[]): BucketChange[] {
  const buckets = new Map<string, BucketChange>();
  for (const { bucket_id: id, files, stored_change } of changes) {
    const sum = buckets.get(id) ?? { id, files: 0, bytes: 0 };
    buckets.set(id, { id, files: sum.files + files, bytes: sum.bytes + stored_change });
  }
  return [...buckets.values()]
    .filter(({ files, bytes }) => files !== 0 || bytes !== 0)
    .sort((a, b) => byText(a.id, b.id));
}

/** Returns what changes add to what accounts store. */
export function accountsOf(changes: UsageChange[]): AccountStatsRow[] {
  const accounts = new Map<string, number>();
  for (const { user_id, stored_change } of changes) {
    accounts.set(user_id, (accounts.get(user_id) ?? 0) + stored_change);
  }
  return [...accounts].flatMap(([user_id, stored]) =>
    stored === 0 ? [] : [{ user_id, stored, month: 0, bandwidth: 0 }],
  );
}

/**
 * Returns what is left of a change whose bucket is gone. The bucket was metered up to its deletion with what it had then,
 * so that bytes which come or go later would never end; what was uploaded was uploaded.
 */
export const withoutBucket = (change: UsageChange): UsageChange => ({
  ...change,
  ...{ files: 0, kept: 0, removed: 0, stored_change: 0, stored_gib_ms: 0, stored_byte_ms: 0 },
});
