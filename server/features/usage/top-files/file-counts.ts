import type { HourlyBytes } from '../counter.ts';
import { dayOf } from '../periods.ts';
import { type FileCount, mergeCounts } from './ranking.ts';

/** How many files of a bucket and a day are kept in memory, twice as many as in the database. */
const MAX_FILES = 100;
/** How many files of all buckets are kept in memory, which takes about 10 MB. */
const MAX_ALL_FILES = 50_000;

/** The files of a bucket that were requested most on a day, by their ids. */
export type BucketCounts = { bucketId: string; day: number; files: Map<string, FileCount> };

/**
 * Collects which files were requested most until that is taken. It is given what was counted in a second, so that a
 * request costs nothing here.
 */
export class FileCounts {
  private buckets = new Map<string, BucketCounts>();
  private size = 0;

  /** Whether it has no room for more buckets, so that it should be taken. */
  get isFull(): boolean {
    return this.size >= MAX_ALL_FILES;
  }

  /** Adds what was counted. Once it is full, buckets that are not in it are left out. */
  add(hours: HourlyBytes[]): void {
    for (const hourly of hours) {
      const day = dayOf(hourly.hour);
      const byBucket = Map.groupBy(hourly.files, ([, { bucketId }]) => bucketId);
      for (const [bucketId, files] of byBucket) this.addTo({ bucketId, day }, files);
    }
  }

  /** Returns what has been collected, in the order of the database's keys, and starts again with nothing. */
  take(): BucketCounts[] {
    const taken = [...this.buckets].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
    this.buckets = new Map();
    this.size = 0;
    return taken;
  }

  private addTo(
    { bucketId, day }: Omit<BucketCounts, 'files'>,
    added: [id: string, tally: { requests: number; bytes: number }][],
  ): void {
    const key = `${bucketId} ${day}`;
    const known = this.buckets.get(key);
    if (!known && this.isFull) return;
    const before = known?.files ?? new Map<string, FileCount>();
    const counts = added.map(
      ([id, { requests, bytes }]) => [id, { requests, bytes, missed: 0 }] as const,
    );
    const files = mergeCounts(before, counts, MAX_FILES);
    this.buckets.set(key, { bucketId, day, files });
    this.size += files.size - before.size;
  }
}
