import { expect, test } from 'bun:test';
import { KIB } from '../../contract/limits.ts';
import { StalledError, StallGuard } from './stall-guard.ts';

const NEVER = new Promise<never>(() => {});

test('work that never ends is ended, and whoever does it is told why', async () => {
  const told: StalledError[] = [];
  const guard = new StallGuard((error) => told.push(error), 1);
  await expect(guard.wait(NEVER)).rejects.toThrow(StalledError);
  expect(told).toHaveLength(1);
});

test('what was waited counts until enough bytes have come, so that a byte now and then is not enough', async () => {
  let now = 0;
  const guard = new StallGuard(
    () => {},
    100,
    () => now,
  );
  const waitFor = async (ms: number) => {
    const work = Promise.withResolvers<void>();
    const waited = guard.wait(work.promise);
    now += ms;
    work.resolve();
    await waited;
  };
  await waitFor(60);
  guard.progress(1);
  expect(guard.remainingMs).toBe(40);
  guard.progress(16 * KIB);
  expect(guard.remainingMs).toBe(100);
});

test('the failure of the work is what is thrown', async () => {
  const guard = new StallGuard(() => {}, 60_000);
  await expect(guard.wait(Promise.reject(new Error('no route')))).rejects.toThrow('no route');
});
