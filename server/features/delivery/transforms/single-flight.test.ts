import { expect, test } from 'bun:test';
import { SingleFlight } from './single-flight.ts';

const ever = new AbortController().signal;

test('who asks for the same gets the same, done once, and a failure is for all', async () => {
  const singleFlight = new SingleFlight<number>(2);
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
  expect(singleFlight.size).toBe(0);
});

test('what is too much is refused with a time to come again, and what runs can still be joined', async () => {
  const singleFlight = new SingleFlight<string>(1);
  const { promise, resolve } = Promise.withResolvers<string>();
  const first = singleFlight.join('a', ever, () => promise);
  const other = singleFlight.join('b', ever, async () => 'b');
  await expect(other).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
  const same = singleFlight.join('a', ever, async () => 'never');
  resolve('a');
  expect(await Promise.all([first, same])).toEqual(['a', 'a']);
  expect(await singleFlight.join('b', ever, async () => 'b')).toBe('b');
});

test('work is ended when the last who waits has left, and its place is free at once', async () => {
  const singleFlight = new SingleFlight<string>(1);
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
  expect([signals.length, signals[0]?.aborted, singleFlight.size]).toEqual([1, false, 1]);
  two.abort();
  await expect(second).rejects.toMatchObject({ status: 503 });
  expect([signals[0]?.aborted, singleFlight.size]).toEqual([true, 0]);
  expect(await singleFlight.join('a', ever, async () => 'new')).toBe('new');
  await expect(singleFlight.join('a', one.signal, begin)).rejects.toMatchObject({ status: 503 });
  expect(signals.length).toBe(1);
});
