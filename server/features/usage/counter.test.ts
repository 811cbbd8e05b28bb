import { expect, test } from 'bun:test';
import { HOUR } from '../../contract/limits.ts';
import { BytesSentCounter, byBucket } from './counter.ts';

function begin() {
  const state = { now: 5 * HOUR, totals: { bytesOut: 0 } };
  return { state, counter: new BytesSentCounter(() => state.now, state.totals) };
}

const written = (counter: BytesSentCounter) =>
  counter.take().map((hourly) => [hourly.hour / HOUR, Object.fromEntries(byBucket(hourly))]);

test('what counts a file goes on after its bytes were taken, each byte once', () => {
  const { state, counter } = begin();
  const count = counter.counterOf('b', 'f');
  count(3);
  counter.counterOf('b', 'f')(4);
  expect(written(counter)).toEqual([[5, { b: 7 }]]);
  expect(written(counter)).toEqual([]);
  count(5);
  expect(written(counter)).toEqual([[5, { b: 5 }]]);
  expect(state.totals.bytesOut).toBe(12);
});

test('bytes belong to the hour that they left in, though what counts them is older', () => {
  const { state, counter } = begin();
  const count = counter.counterOf('b', 'f');
  count(1);
  state.now += HOUR;
  count(2);
  expect(written(counter)).toEqual([
    [5, { b: 1 }],
    [6, { b: 2 }],
  ]);
});

test('requests are counted by bucket, and those from a cache too, each once', () => {
  const { counter } = begin();
  const count = counter.requestCounterOf('b', 'f');
  count(true);
  counter.requestCounterOf('b', 'f')(false);
  counter.requestCounterOf('c', 'g')(true);
  const requests = () => counter.take().map((hourly) => Object.fromEntries(hourly.requests));
  expect(requests()).toEqual([{ b: { requests: 2, cached: 1 }, c: { requests: 1, cached: 1 } }]);
  expect(requests()).toEqual([]);
  count(false);
  expect(requests()).toEqual([{ b: { requests: 1, cached: 0 } }]);
});

test('requests are counted by file beside the bytes, and no bucket has sent bytes for that', () => {
  const { counter } = begin();
  const count = counter.requestCounterOf('b', 'f');
  count(true);
  counter.requestCounterOf('b', 'f')(false);
  counter.requestCounterOf('c', 'g')(true);
  counter.counterOf('c', 'g')(7);
  const [first] = counter.take();
  expect(Object.fromEntries(first?.files ?? [])).toEqual({
    f: { bucketId: 'b', bytes: 0, requests: 2 },
    g: { bucketId: 'c', bytes: 7, requests: 1 },
  });
  expect(first && Object.fromEntries(byBucket(first))).toEqual({ c: 7 });
  count(false);
  expect(counter.take()[0]?.files.get('f')?.requests).toBe(1);
});
