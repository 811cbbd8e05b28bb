import { expect, test } from 'bun:test';
import { createLimiter } from './limiter.ts';

const never = new AbortController().signal;

test('no more than the limit runs at once, in the order it came', async () => {
  const limited = createLimiter(2);
  const started: number[] = [];
  let running = 0;
  let maxRunning = 0;
  const work = (id: number) => async () => {
    started.push(id);
    running += 1;
    maxRunning = Math.max(maxRunning, running);
    await Bun.sleep(5);
    running -= 1;
    return id;
  };
  const results = await Promise.all([1, 2, 3, 4, 5].map((id) => limited(work(id), never)));
  expect(results).toEqual([1, 2, 3, 4, 5]);
  expect(started).toEqual([1, 2, 3, 4, 5]);
  expect(maxRunning).toBe(2);
});

test('a failure gives its place to the next', async () => {
  const limited = createLimiter(1);
  const failing = limited(() => Promise.reject(new Error('no')), never);
  const next = limited(async () => 'yes', never);
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('yes');
});

test('what is cancelled while it waits ends at once and never begins', async () => {
  const limited = createLimiter(1);
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = limited(() => promise, never);
  const abort = new AbortController();
  let hasStarted = false;
  const second = limited(async () => {
    hasStarted = true;
  }, abort.signal);
  const third = limited(async () => 'third', never);
  abort.abort(new Error('cancelled'));
  await expect(second).rejects.toThrow('cancelled');
  resolve();
  await first;
  expect(await third).toBe('third');
  expect(hasStarted).toBe(false);
});

test('who stops waiting leaves the line, and takes nobody’s turn', async () => {
  const limited = createLimiter(1);
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = limited(() => promise, never);
  const abort = new AbortController();
  const abandoned = limited(async () => 'left', abort.signal).catch((reason) => reason);
  const next = limited(async () => 'next', never);
  abort.abort('stopped');
  expect(await abandoned).toBe('stopped');
  resolve();
  await first;
  expect(await next).toBe('next');
  expect(await limited(async () => 'free', never)).toBe('free');
});
