import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { DAY } from '../../contract/limits.ts';
import { systemTime } from '../../platform/clock-guard/time-source.ts';
import { saveTrustedTime } from '../../platform/clock-guard/trusted-time-store.ts';
import { checkClock } from './clock.ts';

await describeEachEngine('the check of the clock', (open) => {
  test('reports that charges are paused, and nothing otherwise', async () => {
    const database = await open();
    // The time server of this machine has no say.
    const time = { ...systemTime(), synchronizedAt: () => null };
    expect(await Array.fromAsync(checkClock(database, time))).toEqual([]);
    const trusted_at = Date.now() - 7 * DAY;
    await saveTrustedTime(database.db, { trusted_at, boot_id: 'an earlier one', uptime: DAY });
    expect(await Array.fromAsync(checkClock(database, time))).toEqual([
      {
        name: 'clock',
        ok: false,
        text: 'By its clock the server was off for 7 days, which no time server has confirmed. Charges and deletions are paused.',
        change: 'Correct the clock, or run wharf admin confirm-clock if it is right.',
      },
    ]);
  });
});
