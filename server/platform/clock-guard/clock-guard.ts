import { MINUTE, SECOND } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/port.ts';
import { type ClockDoubt, type ClockReading, isStep, judgeClock } from './judge-clock.ts';
import type { TimeSource } from './time-source.ts';
import { readTrustedTime, saveTrustedTime, type TrustedTime } from './trusted-time-store.ts';

const CHECK_INTERVAL_MS = 15 * SECOND;
/** The trusted time is written seldom, so that an idle server leaves the disk alone. */
const WRITE_INTERVAL_MS = 10 * MINUTE;
/** Reading the uptime is a system call, which each delivered file would wait for. */
const COMPARE_INTERVAL_MS = SECOND;

type ClockGuardDeps = {
  database: Pick<Database, 'db' | 'engine'>;
  /** The wall clock. */
  clock: Clock;
  time: TimeSource;
  /** Called when the clock is doubted, for another reason than before, or trusted again (null). */
  onChange: (doubt: ClockDoubt | null) => Promise<void>;
  onError: (error: unknown) => void;
};

/**
 * Watches the wall clock for steps that can't be time that has passed. While it is doubted, nothing is
 * charged and nothing expires, because neither can be undone.
 */
export class ClockGuard {
  /** Why the wall clock is not trusted; null where it is. */
  doubt: ClockDoubt | null = null;
  /** The last time that this process has trusted. */
  private trusted: TrustedTime | null = null;
  /** A time that is most likely right, and the uptime at it. */
  private anchor: { at: number; uptime: number };
  /** By how much the wall clock was off when it was last compared with the uptime. */
  private compared = { wall: Number.NaN, offBy: 0 };
  private timer: ReturnType<typeof setInterval> | null = null;

  constructor(private readonly deps: ClockGuardDeps) {
    this.anchor = { at: deps.clock(), uptime: deps.time.uptime() };
  }

  /**
   * Returns the time in epoch milliseconds by which usage and money are recorded. It is the wall clock's,
   * or where that was stepped, what it would say otherwise. A clock that went on by less than a second since it
   * was compared with the uptime was not stepped.
   */
  readonly now: Clock = () => {
    const wall = this.deps.clock();
    const sinceCompared = wall - this.compared.wall;
    if (!(sinceCompared >= 0 && sinceCompared < COMPARE_INTERVAL_MS)) {
      const offBy = wall - (this.anchor.at + this.deps.time.uptime() - this.anchor.uptime);
      this.compared = { wall, offBy: isStep(offBy) ? offBy : 0 };
    }
    return wall - this.compared.offBy;
  };

  /** Checks the clock regularly from now on. */
  start(): void {
    this.timer = setInterval(() => {
      void this.check().catch(this.deps.onError);
    }, CHECK_INTERVAL_MS);
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
  }

  /** Checks the clock, and stores the time where it is trusted. */
  async check(): Promise<void> {
    const { database, clock, time, onChange } = this.deps;
    const stored = await readTrustedTime(database.db);
    const reading = await readClock(database, clock, time);
    const doubt = judgeClock(reading, stored, this.trusted);
    if (doubt?.reason !== this.doubt?.reason) {
      // What the doubted clock says is kept apart from what is counted on from here.
      if (doubt) this.setAnchor({ at: likelyTime(reading, doubt), uptime: reading.uptime });
      this.doubt = doubt;
      await onChange(doubt);
    }
    this.doubt = doubt;
    if (doubt) return;
    this.trusted = { trusted_at: reading.wall, boot_id: reading.bootId, uptime: reading.uptime };
    this.setAnchor({ at: reading.wall, uptime: reading.uptime });
    const sinceWrite = stored ? reading.wall - stored.trusted_at : WRITE_INTERVAL_MS;
    // Other processes may be some seconds ahead, which is no reason to write an earlier time.
    if (sinceWrite < WRITE_INTERVAL_MS && !isStep(sinceWrite)) return;
    await saveTrustedTime(database.db, this.trusted);
  }

  private setAnchor(anchor: { at: number; uptime: number }): void {
    this.anchor = anchor;
    this.compared = { wall: Number.NaN, offBy: 0 };
  }
}

/** Returns the time that most likely is right. A server that was off has no other than its wall clock. */
const likelyTime = ({ wall }: ClockReading, { reason, aheadMs }: ClockDoubt): number =>
  reason === 'unconfirmed' ? wall : wall - aheadMs;

/** Reads everything that is known about the time. */
export async function readClock(
  database: Pick<Database, 'db' | 'engine'>,
  clock: Clock,
  time: TimeSource,
): Promise<ClockReading> {
  const databaseTime = await time.databaseTime(database);
  return {
    wall: clock(),
    bootId: time.bootId,
    uptime: time.uptime(),
    synchronizedAt: time.synchronizedAt(),
    databaseTime,
  };
}
