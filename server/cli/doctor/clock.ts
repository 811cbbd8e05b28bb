import { SECOND } from '../../contract/limits.ts';
import { readClock } from '../../platform/clock-guard/clock-guard.ts';
import { adviceOf, describeDoubt, judgeClock } from '../../platform/clock-guard/judge-clock.ts';
import { systemTime, type TimeSource } from '../../platform/clock-guard/time-source.ts';
import { readTrustedTime } from '../../platform/clock-guard/trusted-time-store.ts';
import type { Database } from '../../platform/db/port.ts';
import { type Finding, problem } from './finding.ts';

const MAX_CLOCK_DRIFT_MS = 5 * SECOND;

/** Checks the clock against the database's, and for steps because of which charges are paused. */
export async function* checkClock(
  database: Database,
  time: TimeSource = systemTime(),
): AsyncGenerator<Finding> {
  const reading = await readClock(database, Date.now, time);
  const { wall, databaseTime } = reading;
  const doubt = judgeClock(reading, await readTrustedTime(database.db), null);
  if (doubt) {
    const text = `${describeDoubt(doubt)} Charges and deletions are paused.`;
    yield problem('clock', text, adviceOf(doubt));
    return;
  }
  const driftMs = Math.abs(wall - (databaseTime ?? wall));
  if (driftMs > MAX_CLOCK_DRIFT_MS) {
    const text = `${Math.round(driftMs / SECOND)} s off from the clock of PostgreSQL`;
    const change = 'Synchronise the clocks of both machines with NTP: job leases depend on them.';
    yield problem('clock', text, change);
  }
}
