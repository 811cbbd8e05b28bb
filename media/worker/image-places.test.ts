import { expect, test } from 'bun:test';
import { until } from '../testing/processes.ts';
import type { Clocks } from './counted-time.ts';
import { ImagePlaces, type PlaceKind } from './image-places.ts';

const never = new AbortController().signal;
const NEVER_SLOW = 2 ** 30;

/** A clock that goes on by a millisecond whenever it is read, up to an end, and processors that may be busy with other work. */
function machine() {
  const time = { now: 0, end: Number.POSITIVE_INFINITY, processorMs: 0, isBusy: false };
  const monotonicClock = () => {
    if (time.now === time.end) return time.now;
    time.now += 1;
    if (!time.isBusy) time.processorMs += 1;
    return time.now;
  };
  const processorTime: Clocks['processorTime'] = {
    get ms() {
      return time.processorMs;
    },
    measure: (work) => work(),
  };
  return { time, clocks: () => ({ monotonicClock, processorTime }) };
}

/** Returns places, and a function that adds work which ends when it is told to, or is stopped. */
function world(places: number, slowAfterMs = NEVER_SLOW) {
  const { time, clocks } = machine();
  const limiter = new ImagePlaces(places, { slowAfterMs, checkIntervalMs: 1, clocks });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (name: string, kind: PlaceKind, owner = name, signal = never) =>
    limiter
      .run({ kind, owner, signal }, (stopped) => {
        started.push(name);
        const { promise, resolve, reject } = Promise.withResolvers<string>();
        ends.set(name, () => resolve('done'));
        stopped.addEventListener('abort', () => reject(stopped.reason));
        return promise;
      })
      .catch((error) => error.retry ?? error);
  const end = async (name: string) => {
    ends.get(name)?.();
    await Bun.sleep(0);
  };
  return { add, end, started, time };
}

test('kinds take turns, each in the order in which its work came', async () => {
  const { add, end, started } = world(1);
  void add('first', 'generated');
  for (const name of ['g1', 'g2', 'g3']) void add(name, 'generated');
  for (const name of ['u1', 'u2']) void add(name, 'upload');
  for (const name of ['first', 'u1', 'g1', 'u2', 'g2']) await end(name);
  expect(started).toEqual(['first', 'u1', 'g1', 'u2', 'g2', 'g3']);
});

test('one slow work may keep its place while others wait, and the next one is stopped', async () => {
  const { add, end, started } = world(2, 1);
  const old = add('old', 'generated', 'attacker');
  const young = add('young', 'generated', 'attacker');
  const photo = add('photo', 'upload', 'stranger');
  expect(await young).toBe('background');
  expect(started).toEqual(['old', 'young', 'photo']);
  await end('photo');
  await end('old');
  expect(await Promise.all([old, photo])).toEqual(['done', 'done']);
});

test('who has nothing running comes before all that others have sent earlier', async () => {
  const { add, end, started } = world(2);
  for (const name of ['a1', 'a2', 'a3', 'a4']) void add(name, 'upload', 'attacker');
  void add('photo', 'upload', 'stranger');
  for (const name of ['a1', 'a2', 'photo', 'a3', 'a4']) await end(name);
  expect(started).toEqual(['a1', 'a2', 'photo', 'a3', 'a4']);
});

test('slow work of others is stopped before that of who waits', async () => {
  const { add, end } = world(2, 1);
  const attack = add('attack', 'generated', 'attacker');
  const own = add('own', 'upload', 'stranger');
  const photo = add('photo', 'upload', 'stranger');
  expect(await attack).toBe('background');
  await end('own');
  await end('photo');
  expect(await Promise.all([own, photo])).toEqual(['done', 'done']);
});

test('slow work goes on where nobody waits, or its own account alone', async () => {
  const { add, end } = world(2, 1);
  const works = ['a', 'b', 'c'].map((name) => add(name, 'upload', 'account'));
  // What finds it slow was set before this timer.
  await Bun.sleep(1);
  for (const name of ['a', 'b', 'c']) await end(name);
  expect(await Promise.all(works)).toEqual(['done', 'done', 'done']);
});

test('work in the background has one place, is never stopped, and counts as slow', async () => {
  const { add, end, started } = world(2, 1);
  const first = add('first', 'background', 'attacker');
  const second = add('second', 'background', 'other');
  const slow = add('slow', 'upload', 'attacker');
  const photo = add('photo', 'upload', 'stranger');
  expect(await slow).toBe('background');
  expect(started).toEqual(['first', 'slow', 'photo']);
  await end('first');
  expect(started).toEqual(['first', 'slow', 'photo', 'second']);
  for (const name of ['photo', 'second']) await end(name);
  expect(await Promise.all([first, second, photo])).toEqual(['done', 'done', 'done']);
});

test('work is not slow because the machine is busy with other work', async () => {
  const { add, end, started, time } = world(2, 100);
  Object.assign(time, { isBusy: true, end: 400 });
  const old = add('old', 'generated', 'one');
  const young = add('young', 'generated', 'other');
  const photo = add('photo', 'upload', 'stranger');
  // By the clock both are.
  await until(() => time.now === time.end);
  expect(started).toEqual(['old', 'young']);
  Object.assign(time, { isBusy: false, end: Number.POSITIVE_INFINITY });
  expect(await young).toBe('background');
  for (const name of ['photo', 'old']) await end(name);
  expect(await Promise.all([old, photo])).toEqual(['done', 'done']);
});

test('who stops waiting leaves the line, and takes nobody’s turn', async () => {
  const { add, end, started } = world(1);
  const first = add('first', 'upload');
  const abort = new AbortController();
  const left = add('left', 'upload', 'left', abort.signal);
  const next = add('next', 'upload');
  abort.abort('stopped');
  expect(await left).toBe('stopped');
  await end('first');
  await end('next');
  expect(await Promise.all([first, next])).toEqual(['done', 'done']);
  expect(started).toEqual(['first', 'next']);
});
