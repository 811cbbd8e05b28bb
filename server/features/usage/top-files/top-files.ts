import { TOP_FILES, TOP_FILES_DAYS_MAX } from '../../../contract/charts.ts';
import { DAY, MINUTE } from '../../../contract/limits.ts';
import type { TopFilesQuery, TopFilesWire } from '../../../contract/wire.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import { inSlices } from '../../../platform/slices.ts';
import { rangeOf } from '../chart.ts';
import type { HourlyBytes } from '../counter.ts';
import { dayOf } from '../periods.ts';
import { claimFlush } from '../store.ts';
import { type BucketCounts, FileCounts } from './file-counts.ts';
import { addFileRequests, deleteFileRequests, lockBuckets, topFiles } from './store.ts';

/** How long counts stay in memory: a killed server loses as much of the ranking, and it is as old. */
const WRITE_INTERVAL_MS = MINUTE;
/** How long the counts of a day are kept. */
const RETENTION_MS = 90 * DAY;
/** How many buckets a transaction writes, so that others wait a few milliseconds. */
const BUCKETS_PER_WRITE = 20;

/** Ranks the files of each bucket by their requests, day by day. */
export class TopFiles {
  private readonly database: Database;
  private readonly clock: Clock;
  private readonly process = crypto.randomUUID();
  private readonly counts = new FileCounts();
  /** What is being written, by the number of its write, until it is known to be written; see BytesSentWriter. */
  private unconfirmed: { number: number; counts: BucketCounts[] }[] = [];
  private number = 0;
  private writtenAt: number;

  constructor({ database, clock }: { database: Database; clock: Clock }) {
    this.database = database;
    this.clock = clock;
    this.writtenAt = clock();
  }

  /** Adds what was counted, which is written later. */
  add(hours: HourlyBytes[]): void {
    this.counts.add(hours);
  }

  /** Writes the counts where the last write is a minute ago, or there is no room for more. */
  async writeIfDue(): Promise<void> {
    const isDue = this.clock() - this.writtenAt >= WRITE_INTERVAL_MS;
    if (isDue || this.counts.isFull) await this.write();
  }

  /** Writes the counts, each once. Rejects when it can't; they are then kept for the next call. */
  async write(): Promise<void> {
    this.writtenAt = this.clock();
    // What is kept meanwhile stays bounded: nothing is taken before the earlier counts are written.
    if (this.unconfirmed.length === 0) this.unconfirmed = this.takeWrites();
    for (let next = this.unconfirmed[0]; next; next = this.unconfirmed[0]) {
      await this.writeBuckets(next);
      this.unconfirmed = this.unconfirmed.filter((one) => one !== next);
    }
  }

  /** Deletes the counts of old days. */
  async deleteOld(signal?: AbortSignal): Promise<void> {
    const before = dayOf(this.clock() - RETENTION_MS);
    await inSlices(
      (limit) => this.database.transaction((tx) => deleteFileRequests(tx, before, limit)),
      signal,
    );
  }

  /** Returns the files of a bucket that were requested most in a range of days. Throws invalid. */
  async of(bucketId: string, query: TopFilesQuery): Promise<TopFilesWire> {
    const range = rangeOf(query, this.clock(), TOP_FILES_DAYS_MAX);
    const rows = await topFiles(this.database.db, bucketId, { ...range, limit: TOP_FILES });
    return {
      files: rows.map(({ missed, ...file }) => ({ ...file, is_estimate: missed > 0 })),
    };
  }

  private takeWrites() {
    const taken = this.counts.take();
    const writes: typeof this.unconfirmed = [];
    for (let at = 0; at < taken.length; at += BUCKETS_PER_WRITE) {
      this.number += 1;
      writes.push({ number: this.number, counts: taken.slice(at, at + BUCKETS_PER_WRITE) });
    }
    return writes;
  }

  private async writeBuckets({ number, counts }: (typeof this.unconfirmed)[number]) {
    const { database, process, clock } = this;
    await database.transaction(async (tx) => {
      if (!(await claimFlush(tx, { process, number, written_at: clock() }))) return;
      const ids = counts.map(({ bucketId }) => bucketId);
      const existing = await lockBuckets(database.engine, tx, ids);
      for (const one of counts) if (existing.has(one.bucketId)) await addFileRequests(tx, one);
    });
  }
}
