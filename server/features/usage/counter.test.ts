import { expect, test } from 'bun:test';
import { HOUR } from '../../contract/limits.ts';
import { BytesSentCounter, byBucket } from './counter.ts';

function begin() {
  const house = { now: 5 * HOUR, totals: { bytesOut: 0 } };
  return { house, counter: new BytesSentCounter(() => house.now, house.totals) };
}

const written = (counter: BytesSentCounter) =>
  counter.take().map((sent) => [sent.hour / HOUR, Object.fromEntries(byBucket(sent))]);

test('what counts a file goes on after its bytes were taken, each byte once', () => {
  const { house, counter } = begin();
  const count = counter.counterOf('b', 'f');
  count(3);
  counter.counterOf('b', 'f')(4);
  expect(written(counter)).toEqual([[5, { b: 7 }]]);
  expect(written(counter)).toEqual([]);
  count(5);
  expect(written(counter)).toEqual([[5, { b: 5 }]]);
  expect(house.totals.bytesOut).toBe(12);
});

test('bytes belong to the hour that they left in, though what counts them is older', () => {
  const { house, counter } = begin();
  const count = counter.counterOf('b', 'f');
  count(1);
  house.now += HOUR;
  count(2);
  expect(written(counter)).toEqual([
    [5, { b: 1 }],
    [6, { b: 2 }],
  ]);
});

test('what could not be written is given back, and joins what was counted since', () => {
  const { house, counter } = begin();
  const count = counter.counterOf('b', 'f');
  count(1);
  const taken = counter.take();
  count(2);
  counter.counterOf('c', 'g')(9);
  counter.restore(taken);
  count(4);
  expect(written(counter)).toEqual([[5, { b: 7, c: 9 }]]);
  expect(house.totals.bytesOut).toBe(16);
});
