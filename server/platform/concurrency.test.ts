import { expect, test } from 'bun:test';
import { forEachConcurrent, forEachSettled } from './concurrency.ts';

async function* countTo(end: number) {
  for (let n = 1; n <= end; n += 1) yield n;
}

test('works on every item once, and on so many at the same time', async () => {
  let running = 0;
  let most = 0;
  const seen: number[] = [];
  await forEachConcurrent(countTo(20), 3, async (n) => {
    running += 1;
    most = Math.max(most, running);
    await Bun.sleep(1);
    running -= 1;
    seen.push(n);
  });
  expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  expect(most).toBe(3);
});

test('takes no item after a failure, ends what runs, and throws', async () => {
  const ended: number[] = [];
  const working = forEachConcurrent([1, 2, 3, 4, 5, 6], 2, async (n) => {
    if (n === 2) throw new Error('no');
    await Bun.sleep(5);
    ended.push(n);
  });
  await expect(working).rejects.toThrow('no');
  expect(ended).toEqual([1]);
});

test('throws what the source of the items throws', async () => {
  const failing = (async function* () {
    yield 1;
    throw new Error('no more');
  })();
  await expect(forEachConcurrent(failing, 4, async () => {})).rejects.toThrow('no more');
});

test('gives every item its turn although some fail, and throws the first failure at the end', async () => {
  const ended: number[] = [];
  const working = forEachSettled(countTo(6), 2, async (n) => {
    if (n % 2 === 0) throw new Error(`no ${n}`);
    ended.push(n);
  });
  await expect(working).rejects.toThrow('no 2');
  expect(ended).toEqual([1, 3, 5]);
});
