import { HOUR, MINUTE, SECOND } from '../../server/contract/limits.ts';

/** How fast a video has to be made. All times are milliseconds that count, see `countedTime`. */
export type Pace = {
  /** The time before its progress is judged: for its probe, its poster and the start of the encoder. */
  graceMs: number;
  /** The most that it may take in all, as its first progress projects it. */
  firstLimitMs: number;
  /** The most that it may take in all when it is nearly done. Between the two, the limit changes evenly. */
  lastLimitMs: number;
};

/**
 * Others wait for the foreground. A slow video leaves it after 10 to 20 seconds, when little work is lost. One
 * that slows down later may take twice as long, because most of its work would be lost.
 */
export const FOREGROUND_PACE: Pace = {
  graceMs: 8 * SECOND,
  firstLimitMs: 5 * MINUTE,
  lastLimitMs: 10 * MINUTE,
};

/** The most time that one video has the encoder for, whatever a file declares or a machine takes. */
export const VIDEO_TIMEOUT_MS = 12 * HOUR;

/**
 * A video that is too slow for the background fails for good, so its first progress must leave no doubt. That
 * is counted by the estimated shares of the encoding runs, which can be wrong by half.
 */
export const BACKGROUND_PACE: Pace = {
  graceMs: 10 * MINUTE,
  firstLimitMs: 1.5 * VIDEO_TIMEOUT_MS,
  lastLimitMs: VIDEO_TIMEOUT_MS,
};

/** A video whose tools get less of a core than this counts as if they got so much. */
const MIN_SHARE = 0.1;

/**
 * Returns how much of the time that has passed counts for a video: as much as its tools had one core for. A
 * machine that is busy with other work slows down every video, and would take each for a slow one.
 * @param passed.processorMs what the tools have had of all cores together
 */
export function countedTime({
  elapsedMs,
  processorMs,
}: {
  elapsedMs: number;
  processorMs: number;
}): number {
  return Math.min(elapsedMs, Math.max(processorMs, elapsedMs * MIN_SHARE));
}

/**
 * Returns whether a video has reached less than its share in its time. What a file declares says nothing about
 * that: its index can name one frame that is slow to decode a million times.
 * @param progress.fraction how much of all its work is done, from 0 to 1
 */
export function isTooSlow(
  { elapsedMs, fraction }: { elapsedMs: number; fraction: number },
  { graceMs, firstLimitMs, lastLimitMs }: Pace,
): boolean {
  const limitMs = firstLimitMs + (lastLimitMs - firstLimitMs) * fraction;
  return elapsedMs > graceMs + limitMs * fraction;
}
