import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { DAY, HOUR, MINUTE } from '../../contract/limits.ts';
import type { Database } from '../db/port.ts';
import { ClockGuard } from './clock-guard.ts';
import { readTrustedTime, saveTrustedTime } from './trusted-time-store.ts';

const NOON = Date.parse('2026-11-23T12:00:00Z');

/** A machine whose clock can be set, and servers on it. */
function openMachine(database: Database) {
  const machine = { wall: NOON, uptime: DAY, bootId: 'a', databaseTime: null as number | null };
  let uptimeReads = 0;
  const changes: (string | null)[] = [];
  return {
    machine,
    changes,
    uptimeReads: () => uptimeReads,
    pass(ms: number) {
      machine.wall += ms;
      machine.uptime += ms;
    },
    step(ms: number) {
      machine.wall += ms;
    },
    async start() {
      const guard = new ClockGuard({
        database,
        clock: () => machine.wall,
        time: {
          bootId: machine.bootId,
          uptime: () => {
            uptimeReads += 1;
            return machine.uptime;
          },
          synchronizedAt: () => null,
          databaseTime: async () => machine.databaseTime,
        },
        async onChange(doubt) {
          changes.push(doubt?.reason ?? null);
        },
        onError() {},
      });
      await guard.check();
      return guard;
    },
  };
}

await describeEachEngine('the guard of the clock', (open) => {
  test('counts on through a step, at once, until the clock is right again', async () => {
    const { machine, changes, pass, step, start } = openMachine(await open());
    const guard = await start();
    pass(MINUTE);
    step(30 * DAY);
    expect(guard.now()).toBe(NOON + MINUTE);
    await guard.check();
    expect(guard.doubt?.reason).toBe('stepped');
    pass(3 * HOUR);
    await guard.check();
    expect(guard.now()).toBe(NOON + MINUTE + 3 * HOUR);
    step(-30 * DAY);
    await guard.check();
    expect([guard.doubt, guard.now()]).toEqual([null, machine.wall]);
    step(-30 * DAY);
    await guard.check();
    expect(guard.now()).toBe(NOON + MINUTE + 3 * HOUR);
    expect(changes).toEqual(['stepped', null, 'stepped']);
  });

  test('reads the uptime once in a second, and still notices every step at once', async () => {
    const { machine, uptimeReads, pass, step, start } = openMachine(await open());
    const guard = await start();
    expect(guard.now()).toBe(NOON);
    const reads = uptimeReads();
    pass(999);
    expect([guard.now(), uptimeReads()]).toEqual([NOON + 999, reads]);
    pass(1);
    expect([guard.now(), uptimeReads()]).toEqual([NOON + 1000, reads + 1]);
    step(-30 * DAY);
    expect(guard.now()).toBe(NOON + 1000);
    pass(500);
    expect([guard.now(), uptimeReads()]).toEqual([NOON + 1500, reads + 2]);
    step(60 * DAY);
    expect(guard.now()).toBe(NOON + 1500);
    step(-30 * DAY);
    expect(guard.now()).toBe(machine.wall);
  });

  test('knows the time after a restart of the server, and not after one of the machine', async () => {
    const { machine, pass, step, start } = openMachine(await open());
    await start();
    pass(7 * DAY);
    expect((await start()).doubt).toBeNull();
    pass(DAY);
    step(30 * DAY);
    const stepped = await start();
    expect([stepped.doubt?.reason, stepped.now()]).toEqual(['stepped', NOON + 8 * DAY]);
    step(-30 * DAY);
    machine.bootId = 'b';
    machine.uptime = 0;
    const unconfirmed = await start();
    // Most servers whose clock is ahead were off, so what they count now happens now.
    expect([unconfirmed.doubt?.reason, unconfirmed.now()]).toEqual(['unconfirmed', machine.wall]);
    step(-20 * DAY);
    const behind = await start();
    expect([behind.doubt?.reason, behind.now()]).toEqual(['stepped', NOON + 7 * DAY]);
    pass(HOUR);
    await behind.check();
    expect(behind.now()).toBe(NOON + 7 * DAY + HOUR);
  });

  test('believes the operator, also that the clock was too far ahead', async () => {
    const database = await open();
    const { machine, step, start } = openMachine(database);
    const guard = await start();
    for (const days of [30, -60]) {
      step(days * DAY);
      await guard.check();
      expect(guard.doubt?.reason).toBe('stepped');
      const { wall, uptime } = machine;
      await saveTrustedTime(database.db, { trusted_at: wall, boot_id: 'cli', uptime });
      await guard.check();
      expect([guard.doubt, guard.now()]).toEqual([null, wall]);
    }
  });

  test('counts by the clock of the database while the two differ', async () => {
    const { machine, start } = openMachine(await open());
    machine.databaseTime = NOON - DAY;
    const guard = await start();
    expect([guard.doubt?.reason, guard.now()]).toEqual(['database', NOON - DAY]);
  });

  test('writes every ten minutes, and no earlier time', async () => {
    const database = await open();
    const { pass, step, start } = openMachine(database);
    const guard = await start();
    const written = async () => (await readTrustedTime(database.db))?.trusted_at;
    expect(await written()).toBe(NOON);
    for (let n = 0; n < 9; n += 1) {
      pass(MINUTE);
      await guard.check();
    }
    step(-10 * MINUTE);
    await guard.check();
    expect(await written()).toBe(NOON);
    step(11 * MINUTE);
    await guard.check();
    expect(await written()).toBe(NOON + 10 * MINUTE);
  });
});
