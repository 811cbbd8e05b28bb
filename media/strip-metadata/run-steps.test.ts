import { expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { MAX_STEPS, runSteps } from './run-steps.ts';

const never = new AbortController().signal;

function* endless() {
  for (;;) yield null;
}

test('steps are performed in their order', async () => {
  const performed: number[] = [];
  await runSteps([1, 2, 3], (step) => performed.push(step), never);
  expect(performed).toEqual([1, 2, 3]);
});

test('work without end is refused for good', async () => {
  let count = 0;
  const running = runSteps(endless(), () => (count += 1), never);
  await expect(running).rejects.toMatchObject({ retry: 'never' });
  expect(count).toBe(MAX_STEPS);
});

test('other work goes on in between, and an abort ends the steps', async () => {
  let milliseconds = 0;
  const clock = () => (milliseconds += 1);
  const abort = new AbortController();
  let count = 0;
  const running = runSteps(endless(), () => (count += 1), abort.signal, clock);
  await setImmediate();
  expect(count).toBeGreaterThan(0);
  abort.abort(new Error('cancelled'));
  await expect(running).rejects.toThrow('cancelled');
  expect(count).toBeLessThan(1000);
});

test('aborted work is not started', async () => {
  let count = 0;
  const abort = AbortSignal.abort(new Error('cancelled'));
  await expect(runSteps(endless(), () => (count += 1), abort)).rejects.toThrow('cancelled');
  expect(count).toBe(0);
});
