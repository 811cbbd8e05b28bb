import { expect, test } from 'bun:test';
import { SingleFlight } from './single-flight.ts';

const ever = new AbortController().signal;

test('who asks for the same gets the same, done once, and a failure is for all', async () => {
  const singleFlight = new SingleFlight<number>();
  let starts = 0;
  const begin = async () => {
    starts += 1;
    await Bun.sleep(5);
    return starts;
  };
  const work = () => singleFlight.join('a', ever, begin);
  expect(await Promise.all([work(), work(), work()])).toEqual([1, 1, 1]);
  expect(await work()).toBe(2);
  const fail = () => singleFlight.join('b', ever, () => Promise.reject(new Error('no')));
  const failed = await Promise.allSettled([fail(), fail()]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('work is ended when the last who waits has left, and is not joined any more', async () => {
  const singleFlight = new SingleFlight<string>();
  const signals: AbortSignal[] = [];
  const begin = (signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<string>(() => {});
  };
  const [one, two] = [new AbortController(), new AbortController()];
  const first = singleFlight.join('a', one.signal, begin);
  const second = singleFlight.join('a', two.signal, begin);
  one.abort();
  await expect(first).rejects.toMatchObject({ status: 503 });
  expect([signals.length, signals[0]?.aborted]).toEqual([1, false]);
  two.abort();
  await expect(second).rejects.toMatchObject({ status: 503 });
  expect(signals[0]?.aborted).toBe(true);
  expect(await singleFlight.join('a', ever, async () => 'new')).toBe('new');
  await expect(singleFlight.join('a', one.signal, begin)).rejects.toMatchObject({ status: 503 });
  expect(signals.length).toBe(1);
});
