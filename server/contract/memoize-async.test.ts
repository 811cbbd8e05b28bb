import { expect, test } from 'bun:test';
import { memoizeAsync } from './memoize-async.ts';

test('it runs once for all callers, and again after a failure only', async () => {
  let runs = 0;
  let isBroken = true;
  const number = memoizeAsync(async () => {
    runs += 1;
    if (isBroken) throw new Error('broken');
    return 7;
  });
  expect(runs).toBe(0);
  const outcomes = await Promise.allSettled([number(), number()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(runs).toBe(1);
  isBroken = false;
  expect(await Promise.all([number(), number()])).toEqual([7, 7]);
  expect(await number()).toBe(7);
  expect(runs).toBe(2);
});
