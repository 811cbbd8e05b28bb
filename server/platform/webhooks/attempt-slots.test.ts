import { expect, test } from 'bun:test';
import { SECOND } from '../../contract/limits.ts';
import { type Slot, WebhookAttemptSlots } from './attempt-slots.ts';

function open() {
  const world = { now: 0 };
  const slots = new WebhookAttemptSlots(() => world.now);
  /** Starts as many deliveries as an account may, each to a bucket of its own. */
  const fill = (owner: string) => {
    const taken: Slot[] = [];
    while (slots.canStart(owner)) {
      taken.push(slots.take({ owner, bucket_id: `${owner}-${taken.length}` }));
    }
    return taken;
  };
  /** Lets an account's deliveries take some time, and frees their slots. */
  const answer = (owner: string, ms: number, isAccepted = true) => {
    const taken = fill(owner);
    world.now += ms;
    for (const slot of taken) slots.free(slot, isAccepted);
  };
  return { world, slots, fill, answer };
}

test('an account has four slots, however many buckets it has', () => {
  const { slots, fill } = open();
  expect(fill('a')).toHaveLength(4);
  expect(slots.canStart('b')).toBe(true);
});

test('prompt accounts have 32 slots together', () => {
  const { fill } = open();
  const counts = Array.from({ length: 9 }, (_, index) => fill(`o${index}`).length);
  expect(counts).toEqual([4, 4, 4, 4, 4, 4, 4, 4, 0]);
});

test('after a second a delivery that runs leaves its slot to another account', () => {
  const { world, slots, fill } = open();
  for (let index = 0; index < 8; index += 1) fill(`o${index}`);
  world.now = SECOND - 1;
  expect(slots.canStart('stranger')).toBe(false);
  world.now = SECOND;
  expect(slots.canStart('stranger')).toBe(true);
  expect(slots.canStart('o0')).toBe(false);
});

test.each([
  ['took its time', 14 * SECOND, true],
  ['failed', 0, false],
])('accounts whose last delivery %s share 32 slots of their own', (_, ms, isAccepted) => {
  const { slots, fill, answer } = open();
  for (let index = 0; index < 20; index += 1) answer(`o${index}`, ms, isAccepted);
  const counts = Array.from({ length: 20 }, (_, index) => fill(`o${index}`).length);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(32);
  expect(slots.canStart('stranger')).toBe(true);
  expect(slots.canStart('o19')).toBe(false);
});

test('an account that answers promptly again gets prompt slots again', () => {
  const { fill, answer } = open();
  answer('a', 2 * SECOND);
  answer('a', SECOND / 10);
  for (let index = 0; index < 7; index += 1) fill(`o${index}`);
  expect(fill('a')).toHaveLength(4);
  expect(fill('b')).toHaveLength(0);
});

test('one slow endpoint takes one slot of its account', () => {
  const { slots, answer } = open();
  const receiver = { owner: 'a', bucket_id: 'dead' };
  slots.free(slots.take(receiver), false);
  slots.take(receiver);
  expect(slots.busyBuckets()).toEqual(['dead']);
  answer('a', 0);
  expect(slots.busyBuckets()).toEqual(['dead']);
});

test('no number of accounts takes more than 128 slots', () => {
  const { world, fill } = open();
  let count = 0;
  for (let index = 0; index < 100; index += 1) {
    count += fill(`o${index}`).length;
    world.now += SECOND;
  }
  expect(count).toBe(128);
});

test('a delivery that was not sent says nothing about its endpoint', () => {
  const { slots, fill } = open();
  slots.free(slots.take({ owner: 'a', bucket_id: 'b' }), null);
  for (let index = 0; index < 8; index += 1) fill(`o${index}`);
  expect(slots.canStart('a')).toBe(false);
});
