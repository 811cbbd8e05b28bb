import { expect, test } from 'bun:test';
import { createSlots } from './slots.ts';

test('so many run at once, others in the order in which they came', async () => {
  const run = createSlots(2, 'Full.');
  const order: number[] = [];
  let maxTotal = 0;
  let running = 0;
  await Promise.all(
    [0, 1, 2, 3, 4].map((number) =>
      run(async () => {
        running += 1;
        maxTotal = Math.max(maxTotal, running);
        await Bun.sleep(5);
        order.push(number);
        running -= 1;
      }),
    ),
  );
  expect(maxTotal).toBe(2);
  expect(order).toEqual([0, 1, 2, 3, 4]);
});

test('whoever waits too long is told to come again, and takes no place away', async () => {
  const run = createSlots(1, 'Full.', { waitTimeoutMs: 20 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = run(() => promise);
  const second = await run(async () => 'never').catch((error) => error);
  expect(second).toMatchObject({ status: 503, text: 'Full.', headers: { 'retry-after': '1' } });
  resolve();
  await first;
  expect(await run(async () => 'now')).toBe('now');
});

test('what fails gives its place back', async () => {
  const run = createSlots(1, 'Full.', { waitTimeoutMs: 20 });
  for (let i = 0; i < 3; i += 1) {
    const failed = run(async () => {
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
  }
  expect(await run(async () => 1)).toBe(1);
});

test('keys take turns', async () => {
  const run = createSlots(1, 'Full.');
  const order: string[] = [];
  const work = (name: string) => run(async () => void order.push(name), name.charAt(0));
  await Promise.all(['a1', 'a2', 'a3', 'b1'].map(work));
  expect(order).toEqual(['a1', 'a2', 'b1', 'a3']);
});
