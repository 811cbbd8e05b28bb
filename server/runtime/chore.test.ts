import { expect, test } from 'bun:test';
import { openMemoryLocks } from '../platform/locks/memory.ts';
import { type Chore, ChoreRunner } from './chore.ts';

/** Returns a function that creates runners with common locks, and the failures that they report. */
function createWorld() {
  const locks = openMemoryLocks();
  const failures: string[] = [];
  let isPaused = false;
  const onFailure = async (name: string, error: unknown) => {
    failures.push(`${name}: ${error}`);
  };
  const runner = (name: string, run: Chore['run'], isLocal = false) =>
    new ChoreRunner(
      { name, intervalMs: 1_000_000, isLocal, run },
      { locks, isPaused: () => isPaused, onFailure },
    );
  const pause = (paused: boolean) => {
    isPaused = paused;
  };
  return { locks, failures, runner, pause };
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

test('a chore that takes long keeps no other from running, and ends when the server stops', async () => {
  const { failures, runner } = createWorld();
  const long = runner('Long', untilAborted);
  const running = long.run();
  let runs = 0;
  const other = runner('Other', async () => {
    runs += 1;
  });
  await other.run();
  await other.run();
  expect(runs).toBe(2);
  await long.stop();
  await running;
  expect(failures).toEqual([]);
});

test('a chore that does not end does not hold up the end of the server', async () => {
  const { failures, runner } = createWorld();
  const { promise, reject } = Promise.withResolvers<void>();
  const stuck = runner('Stuck', () => promise);
  const running = stuck.run();
  await stuck.stop(1);
  // What it fails with after the database is closed is of no interest.
  reject(new Error('the database is closed'));
  await running;
  expect(failures).toEqual([]);
});

test('one process at a time does a chore, and each process its own local ones', async () => {
  const { locks, runner } = createWorld();
  const runs: string[] = [];
  const lock = await locks.tryTake('housekeeping: Shared');
  const shared = runner('Shared', async () => runs.push('shared'));
  const local = runner('Local', async () => runs.push('local'), true);
  await shared.run();
  await local.run();
  expect(runs).toEqual(['local']);
  await lock?.release();
  await shared.run();
  expect(runs).toEqual(['local', 'shared']);
});

test('a failure is reported once until the chore succeeds again', async () => {
  const { failures, runner } = createWorld();
  let reason: string | null = 'no room';
  const failing = runner('Sweep', async () => {
    if (reason) throw new Error(reason);
  });
  await failing.run();
  await failing.run();
  reason = null;
  await failing.run();
  reason = 'no room';
  await failing.run();
  reason = 'away';
  await failing.run();
  expect(failures).toEqual([
    'Sweep: Error: no room',
    'Sweep: Error: no room',
    'Sweep: Error: away',
  ]);
});

test('no chore runs while all are paused, and each goes on with its next run', async () => {
  const { runner, pause } = createWorld();
  let runs = 0;
  const chore = runner('Charge', async () => {
    runs += 1;
  });
  pause(true);
  await chore.run();
  expect(runs).toBe(0);
  pause(false);
  await chore.run();
  expect(runs).toBe(1);
});
