import { expect, test } from 'bun:test';
import { FairLimiter, type FairLimits } from './fair-limiter.ts';

const never = new AbortController().signal;
const WIDE = { running: 2, runningPerKey: 2, waiting: 100, waitingPerKey: 100 };

/** Creates work that runs until it is finished by hand, and notes when it starts. */
function harness(limits: Partial<FairLimits>) {
  const limiter = new FairLimiter({ ...WIDE, ...limits }, () => new Error('full'));
  const running: { name: string; finish: () => void }[] = [];
  const started: string[] = [];
  return {
    started,
    /** Starts or enqueues work; resolves with the outcome. */
    enqueue: (name: string, signal: AbortSignal = never) => {
      const work = () => {
        const { promise, resolve } = Promise.withResolvers<string>();
        running.push({ name, finish: () => resolve(name) });
        started.push(name);
        return promise;
      };
      return limiter.run(name.charAt(0), work, signal).catch((error: Error) => error.message);
    },
    /** Finishes what runs for longest until nothing runs. */
    async drain() {
      for (let next = running.shift(); next; next = running.shift()) {
        next.finish();
        await Bun.sleep(0);
      }
    },
  };
}

test('keys take turns, however much one of them has waiting', async () => {
  const { enqueue, drain, started } = harness({ running: 1 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) void enqueue(name);
  await drain();
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

test('one key never has all places, and its next work starts as soon as one is free', async () => {
  const { enqueue, drain, started } = harness({ running: 3, runningPerKey: 2 });
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2']) void enqueue(name);
  expect(started).toEqual(['a1', 'a2', 'b1']);
  await drain();
  expect(started.toSorted()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
});

test('one key may wait with so much, and others are not refused for it', async () => {
  const { enqueue, drain } = harness({ running: 1, waitingPerKey: 2 });
  const outcomes = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3'].map((name) => enqueue(name));
  expect(await outcomes[3]).toBe('full');
  await drain();
  expect(await Promise.all(outcomes)).toEqual(['a1', 'a2', 'a3', 'full', 'b1', 'b2', 'full']);
});

test('when all wait with too much, the longest line gives a place to a shorter one', async () => {
  const { enqueue, drain } = harness({ running: 1, waiting: 4 });
  const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'b2', 'b3'];
  const outcomes = names.map((name) => enqueue(name));
  await drain();
  expect(await Promise.all(outcomes)).toEqual([
    ...['a1', 'a2', 'a3', 'full', 'full', 'full'],
    ...['b1', 'b2', 'full'],
  ]);
});

test('what is aborted while it waits never starts, and leaves its place in the line', async () => {
  const { enqueue, drain, started } = harness({ running: 1, waitingPerKey: 1 });
  const abort = new AbortController();
  const outcomes = [enqueue('a1'), enqueue('a2', abort.signal)];
  abort.abort(new Error('left'));
  expect(await outcomes[1]).toBe('left');
  outcomes.push(enqueue('a3'), enqueue('a4', abort.signal));
  await drain();
  expect(await Promise.all(outcomes)).toEqual(['a1', 'left', 'a3', 'left']);
  expect(started).toEqual(['a1', 'a3']);
});

test('what fails gives its place back', async () => {
  const limiter = new FairLimiter({ ...WIDE, running: 1 }, () => new Error('full'));
  const failing = limiter.run('a', () => Promise.reject(new Error('no')), never);
  const next = limiter.run('a', async () => 'yes', never);
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('yes');
  expect(await limiter.run('b', async () => 'free', never)).toBe('free');
});
