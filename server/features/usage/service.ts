import { DAY, MINUTE, SECOND } from '../../contract/limits.ts';
import type { ChartQuery } from '../../contract/wire.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import { timeOf } from '../../platform/ids.ts';
import { BucketOwners } from './bucket-owners.ts';
import { BytesSentWriter } from './bytes-sent-writer.ts';
import { oldestChange } from './changes-store.ts';
import { chartOf } from './chart.ts';
import { BytesSentCounter } from './counter.ts';
import { foldChanges } from './fold.ts';
import { UsageMeters } from './meters.ts';
import { foldOldDays } from './old-days-store.ts';
import { dayOf, monthOf } from './periods.ts';
import { rollTotals, type TotalDay, totalsSince } from './rollup-store.ts';
import * as series from './series-store.ts';
import { forgetFlushes } from './store.ts';
import { TopFiles } from './top-files/top-files.ts';

export { HOUR_SETTLE_TIME_MS } from './bytes-sent-writer.ts';
export { openHours } from './changes-store.ts';
export { rangeOf, readDay } from './chart.ts';
export { foldChanges } from './fold.ts';
export { byteMsOf, dayOf, dayText, hourOf, monthOf } from './periods.ts';
export type { TotalDay } from './rollup-store.ts';
export type { AccountDay } from './series-store.ts';
export { monthAddition } from './stats-store.ts';

/** Together with the time that a write takes, a killed server loses at most a second of counts. */
const FLUSH_INTERVAL_MS = 0.9 * SECOND;
/** For how long a process is expected to learn whether its last write was committed. */
const FLUSH_TTL_MS = 7 * DAY;
/** Changes are folded every second, so that what is older by far is not folded at all. */
const MAX_UNFOLDED_MS = 5 * MINUTE;

/** Counts what is sent, uploaded and stored, keeps it by the hour and by the day, and charts it. */
export class Usage {
  readonly meters: UsageMeters;
  readonly topFiles: TopFiles;
  private readonly database: Database;
  private readonly clock: Clock;
  private readonly onError: (error: unknown) => void;
  private readonly onSent: (bucketIds: string[]) => Promise<void>;
  private readonly counter: BytesSentCounter;
  private readonly writer: BytesSentWriter;
  private readonly owners = new BucketOwners();
  private timer: ReturnType<typeof setInterval> | null = null;
  private writing: Promise<void> | null = null;
  private foldedAt = 0;

  /**
   * @param deps.counts gains every byte that is sent
   * @param deps.onSent called with the buckets that have sent bytes, when these are written
   */
  constructor(deps: {
    database: Database;
    clock: Clock;
    counts: { bytesOut: number };
    onSent: (bucketIds: string[]) => Promise<void>;
    onError: (error: unknown) => void;
  }) {
    this.database = deps.database;
    this.clock = deps.clock;
    this.onError = deps.onError;
    this.onSent = deps.onSent;
    this.counter = new BytesSentCounter(deps.clock, deps.counts);
    this.writer = new BytesSentWriter({ ...deps, owners: this.owners });
    this.topFiles = new TopFiles(deps);
    this.meters = new UsageMeters({ clock: deps.clock, owners: this.owners });
  }

  /** Writes the counts regularly from now on. */
  start(): void {
    this.timer = setInterval(() => {
      if (!this.writing) void this.flush().catch(this.onError);
    }, FLUSH_INTERVAL_MS);
  }

  /** Writes the counts for the last time. */
  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.flush().catch(this.onError);
    await this.topFiles.write().catch(this.onError);
  }

  /** Returns a function that counts bytes of a file's body that were sent. */
  counterOf(bucketId: string, fileId: string): (bytes: number) => void {
    return this.counter.counterOf(bucketId, fileId);
  }

  /** Returns a function that counts requests for a file of a bucket, and whether a cache has answered them. */
  requestCounterOf(bucketId: string, fileId: string): (isCached: boolean) => void {
    return this.counter.requestCounterOf(bucketId, fileId);
  }

  /**
   * Writes the counts so far. Rejects when it can't; the counts are then kept for the next write.
   */
  async flush(): Promise<void> {
    while (this.writing) await this.writing.catch(() => {});
    this.writing = this.write().finally(() => {
      this.writing = null;
    });
    await this.writing;
  }

  /** Adds days that are over up, and once a day folds old ones. */
  async tidy(signal?: AbortSignal): Promise<void> {
    await foldChanges(this.database, { waits: true, signal });
    await rollTotals(this.database, this.clock());
    if (this.clock() - this.foldedAt < DAY) return;
    await foldOldDays(this.database, this.clock(), signal);
    await this.topFiles.deleteOld(signal);
    await forgetFlushes(this.database.db, this.clock() - FLUSH_TTL_MS);
    this.foldedAt = this.clock();
  }

  /** Returns for how long the oldest change waits to be folded, in milliseconds; 0 where none does. */
  async unfoldedMs(): Promise<number> {
    const id = await oldestChange(this.database.db);
    return id === undefined ? 0 : Math.max(0, this.clock() - timeOf(id));
  }

  /** Throws where changes are no longer folded. */
  async requireFolding(): Promise<void> {
    if ((await this.unfoldedMs()) > MAX_UNFOLDED_MS) throw new Error('usage is not folded');
  }

  /** Returns the bytes sent this month, by bucket; buckets that sent nothing are missing. */
  bandwidthOf(bucketIds: string[]): Promise<Map<string, number>> {
    return series.bandwidthSince(this.database.db, bucketIds, monthOf(this.clock()));
  }

  /** Returns the requests for files of a bucket this month, and how many of them were answered from a cache. */
  requestsOf(bucketId: string): Promise<{ requests: number; cached: number }> {
    return series.requestsSince(this.database.db, bucketId, monthOf(this.clock()));
  }

  /** Returns the bytes sent this UTC day by bucket. A bucket that has sent nothing may be missing. */
  bandwidthToday(bucketIds: string[]): Promise<Map<string, number>> {
    return series.bandwidthSince(this.database.db, bucketIds, dayOf(this.clock()));
  }

  /** Returns what changed over all buckets from a day on, by the day, in order. */
  totalsSince(day: number): Promise<TotalDay[]> {
    return totalsSince(this.database.db, day);
  }

  /** Returns what changed since a day over the newest buckets of an account, by day, in order. */
  accountDays(userId: string, range: { from: number; maxBuckets: number }) {
    return series.accountDays(this.database.db, userId, range);
  }

  /** Returns the bytes sent of a file this month, and ever. */
  fileBandwidth(fileId: string): Promise<{ month: number; total: number }> {
    return series.fileBandwidth(this.database.db, fileId, monthOf(this.clock()));
  }

  /** Returns the daily values of a bucket. Throws invalid. */
  chart(bucketId: string, query: ChartQuery) {
    return chartOf(this.database.db, bucketId, query, this.clock());
  }

  /** Returns the accounts whose usage this process has counted since the last call. */
  takeActiveAccounts(): string[] {
    return this.owners.takeActive();
  }

  private async write(): Promise<void> {
    const buckets = await this.writer.write({ take: () => this.takeCounts() });
    await foldChanges(this.database);
    await this.topFiles.writeIfDue().catch(this.onError);
    if (buckets.size === 0) return;
    await this.onSent([...buckets]).catch(this.onError);
  }

  private takeCounts() {
    const hours = this.counter.take();
    this.topFiles.add(hours);
    return hours;
  }
}
