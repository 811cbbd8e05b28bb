import { OperatorError } from '../../config/operator-error.ts';
import { record } from '../../platform/audit/record.ts';
import { readClock } from '../../platform/clock-guard/clock-guard.ts';
import { adviceOf, describeDoubt, judgeClock } from '../../platform/clock-guard/judge-clock.ts';
import { systemTime } from '../../platform/clock-guard/time-source.ts';
import { saveTrustedTime } from '../../platform/clock-guard/trusted-time-store.ts';
import type { Database } from '../../platform/db/port.ts';

/**
 * Stores the time of this machine's clock as right. Running servers notice it with their next check. Throws
 * OperatorError where the clock differs from the database's.
 */
export async function confirmClock(database: Database): Promise<void> {
  const reading = await readClock(database, Date.now, systemTime());
  const { wall, bootId, uptime } = reading;
  const stored = { trusted_at: wall, boot_id: bootId, uptime };
  const doubt = judgeClock(reading, stored, null);
  if (doubt) throw new OperatorError(`${describeDoubt(doubt)} ${adviceOf(doubt)}`);
  await database.transaction(async (tx) => {
    await saveTrustedTime(tx, stored);
    await record(tx, wall, {
      section: 'system',
      action: 'clock.confirmed',
      message: 'The clock was confirmed on the command line.',
      actor: 'system',
    });
  });
  const time = new Date(wall).toISOString().slice(0, 16).replace('T', ' ');
  process.stdout.write(
    `It is ${time} UTC. Charges and deletions up to this time run within a minute.\n`,
  );
}
