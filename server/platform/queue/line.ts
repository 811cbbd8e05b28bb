import type { Line } from './line-store.ts';

/** The place in the line, from 1, and the milliseconds until its job starts; null where nothing tells them. */
export type Place = { place: number; waitMs: number | null };

/**
 * Returns the places of what waits, by subject. The time is rough: it takes the next jobs to be as long as
 * the last ones, and as many to run at a time as run now.
 * @param now in epoch milliseconds
 */
export function placesOf({ waiting, running, tookMs }: Line, now: number): Map<string, Place> {
  const runs = running.map(({ started_at, progress }) => {
    const elapsedMs = Math.max(0, now - (started_at ?? now));
    return { elapsedMs, totalMs: progress > 0 ? (elapsedMs * 100) / progress : null };
  });
  const known = [...tookMs, ...runs.flatMap(({ totalMs }) => totalMs ?? [])];
  const meanMs = known.reduce((sum, ms) => sum + ms, 0) / known.length;
  // When each of the jobs at a time ends.
  const ends = runs.map(({ elapsedMs, totalMs }) => Math.max(0, (totalMs ?? meanMs) - elapsedMs));
  if (ends.length === 0) ends.push(0);
  return new Map(
    waiting.map((subject, index) => {
      ends.sort((one, other) => one - other);
      const [next = 0] = ends;
      ends[0] = next + meanMs;
      return [subject, { place: index + 1, waitMs: known.length > 0 ? next : null }];
    }),
  );
}
