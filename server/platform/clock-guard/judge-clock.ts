import { HOUR } from '../../contract/limits.ts';
import type { TrustedTime } from './trusted-time-store.ts';

/** A clock that moves further than this needs a proof that so much time has passed. */
export const MAX_CLOCK_STEP_MS = 2 * HOUR;

/** Everything that is known about the time at a moment. All but the uptime in epoch milliseconds. */
export type ClockReading = {
  wall: number;
  bootId: string;
  uptime: number;
  /** When a time server last confirmed the wall clock; null if unknown. */
  synchronizedAt: number | null;
  /** The time of the database's clock; null where it is the same clock. */
  databaseTime: number | null;
};

/** Why the wall clock is not trusted, and by how much it is off, or would be. */
export type ClockDoubt = {
  reason: 'stepped' | 'unconfirmed' | 'database';
  /** How far the clock is ahead; negative where it is behind. */
  aheadMs: number;
};

/**
 * Decides whether the wall clock is right. A step of more than two hours is time that has passed where
 * the machine has been running for so long, or where a time server has confirmed the clock since.
 * @param stored the time that any process trusted last, or an operator confirmed
 * @param own the time that this process trusted last; null in a process that has trusted none yet
 * @returns why it is not trusted; null where it is
 */
export function judgeClock(
  reading: ClockReading,
  stored: TrustedTime | null,
  own: TrustedTime | null,
): ClockDoubt | null {
  const { wall, synchronizedAt, databaseTime } = reading;
  if (databaseTime !== null && isStep(wall - databaseTime)) {
    return { reason: 'database', aheadMs: wall - databaseTime };
  }
  if (stored === null || !isStep(wall - stored.trusted_at)) return null;
  const known = own ?? (isSameBoot(reading, stored) ? stored : null);
  const stepMs = known && wall - known.trusted_at - (reading.uptime - known.uptime);
  if (stepMs !== null && !isStep(stepMs)) return null;
  // The file that tells of it has the time of the wall clock, so a later step makes it look old or new.
  if (synchronizedAt !== null && wall >= synchronizedAt && !isStep(wall - synchronizedAt))
    return null;
  if (stepMs !== null) return { reason: 'stepped', aheadMs: stepMs };
  const aheadMs = wall - stored.trusted_at;
  return { reason: aheadMs < 0 ? 'stepped' : 'unconfirmed', aheadMs };
}

/** Whether a difference of two times is more than what clocks and time zones may be off. */
export const isStep = (ms: number): boolean => Math.abs(ms) > MAX_CLOCK_STEP_MS;

const isSameBoot = ({ bootId, uptime }: ClockReading, stored: TrustedTime): boolean =>
  stored.boot_id === bootId && stored.uptime <= uptime;

/** Returns a sentence for the operator. */
export function describeDoubt({ reason, aheadMs }: ClockDoubt): string {
  const by = formatDuration(Math.abs(aheadMs));
  if (reason === 'database') {
    return `The clock is ${by} ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's clock.`;
  }
  if (reason === 'stepped')
    return `The clock was set ${aheadMs > 0 ? 'forward' : 'back'} by ${by}.`;
  return `By its clock the server was off for ${by}, which no time server has confirmed.`;
}

/** Returns what an operator can do about it. */
export const adviceOf = ({ reason }: ClockDoubt): string =>
  reason === 'database'
    ? 'Synchronise the clocks of both machines with NTP.'
    : 'Correct the clock, or run wharf admin confirm-clock if it is right.';

/** Returns all that an operator has to know. */
export const noticeOf = (doubt: ClockDoubt): string =>
  `${describeDoubt(doubt)} Charges and deletions are paused. ${adviceOf(doubt)}`;

function formatDuration(ms: number): string {
  const hours = Math.round(ms / HOUR);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
