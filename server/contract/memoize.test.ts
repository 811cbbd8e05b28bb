import { expect, test } from 'bun:test';
import { memoize, memoizeAsync } from './memoize.ts';

test('it makes a value when it is first asked for, and only once', () => {
  let runs = 0;
  const made = memoize(() => {
    runs += 1;
    return { runs };
  });
  expect(runs).toBe(0);
  expect(made()).toBe(made());
  expect(runs).toBe(1);
});

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
