import { DAY, HOUR, SECOND } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Executor } from '../../platform/db/port.ts';
import { type ChartQuery, chartOf } from './chart.ts';
import { createCounter } from './counter.ts';
import { HOUR_SETTLES, writeSent } from './flush.ts';
import { createMeters } from './meters.ts';
import { byteMsOf, hourOf, monthOf } from './periods.ts';
import { rollUp } from './retention.ts';
import * as series from './series.ts';
import { rollTotals, type TotalDay, totalsSince } from './totals.ts';

export { rangeOf } from './chart.ts';
export { dayOf, dayText, hourOf, monthOf } from './periods.ts';
export type { TotalDay } from './totals.ts';
export type Usage = ReturnType<typeof createUsage>;

/** With the time that writing takes, a server that is killed loses no more than a second. */
const FLUSH_EVERY = 0.9 * SECOND;

/** What is sent, uploaded and stored: counted, kept by the hour and by the day, and charted. */
export function createUsage(options: {
  database: Database;
  clock: Clock;
  counts: { bytesOut: number };
  onError: (error: unknown) => void;
}) {
  const { database, clock, counts, onError } = options;
  const { db } = database;
  const counter = createCounter(clock, counts);
  const meters = createMeters({ database, clock });
  let timer: ReturnType<typeof setInterval> | null = null;
  let writing: Promise<void> | null = null;
  let rolledUpAt = 0;

  const write = async () => {
    const taken = counter.take();
    if (taken.length === 0) return;
    try {
      await writeSent(database, clock, taken);
    } catch (error) {
      counter.giveBack(taken);
      throw error;
    }
  };

  /** Writes what has been counted so far. Rejects when it can't be written; then it is kept. */
  const flush = async (): Promise<void> => {
    while (writing) await writing.catch(() => {});
    writing = write().finally(() => {
      writing = null;
    });
    await writing;
  };

  const finalUntil = async (): Promise<number> => {
    const to = hourOf(clock() - HOUR_SETTLES);
    await meters.closeHours();
    return to;
  };

  return {
    meters,
    /** For a file: what counts bytes of its body that were sent. */
    counterOf: counter.counterOf,
    flush,

    start() {
      timer = setInterval(() => {
        if (!writing) void flush().catch(onError);
      }, FLUSH_EVERY);
    },

    async stop(): Promise<void> {
      if (timer) clearInterval(timer);
      await flush().catch(onError);
    },

    /** What is due now and then: hours that have ended are closed, old rows rolled up. */
    async tidy(): Promise<void> {
      await meters.closeHours();
      await rollTotals(database, clock());
      if (clock() - rolledUpAt < DAY) return;
      rolledUpAt = clock();
      await rollUp(database, rolledUpAt);
    },

    /** Bytes sent this month, by bucket; nothing is missing as 0. */
    bandwidthOf: (bucketIds: string[]): Promise<Map<string, number>> =>
      series.bandwidthSince(db, bucketIds, monthOf(clock())),

    /** What changed over all buckets from a day on, by the day, in order. */
    totalsSince: (day: number): Promise<TotalDay[]> => totalsSince(db, day),

    /** Bytes sent of a file this month, and ever. */
    fileBandwidth: (fileId: string): Promise<{ month: number; total: number }> =>
      series.fileBandwidth(db, fileId, monthOf(clock())),

    /** Throws invalid. */
    chart: (bucketId: string, query: ChartQuery) => chartOf(db, bucketId, query, clock()),

    /** Closes the hours that have ended. Answers up to where hours are over and will never change. */
    finalUntil,

    /**
     * The hours of a bucket from `from` up to, not including, `to`, in order: what was sent and
     * uploaded in bytes, what was stored in bytes × milliseconds. Hours in which nothing was used
     * are missing.
     */
    hoursOf: (executor: Executor, bucketId: string, from: number, to: number) =>
      hoursOf(executor, bucketId, from, to),

    /** The first hour that is still known in which anything was used; null where there is none. */
    firstHour: (): Promise<number | null> => series.firstHour(db),

    /** Buckets that used anything in these hours, some of which may have been deleted since. */
    usedBetween: (from: number, to: number): Promise<string[]> =>
      series.bucketsBetween(db, from, to),

    /** The hours of a bucket from `from` on that are over and will never change. */
    async finalHours(bucketId: string, from: number) {
      return hoursOf(db, bucketId, from, await finalUntil());
    },
  };
}

async function hoursOf(db: Executor, bucketId: string, from: number, to: number) {
  const rows = await series.hoursOf(db, bucketId, from, to);
  return rows.map(({ hour, bandwidth, uploaded, ...stored }) => ({
    hour,
    until: hour + HOUR,
    bandwidth,
    uploaded,
    storedByteMs: byteMsOf(stored),
  }));
}
