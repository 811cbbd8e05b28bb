import { expect, test } from 'bun:test';
import { MIB } from '../../../contract/limits.ts';
import { memoryBudget, ObjectBytesCache } from './object-bytes-cache.ts';

/** An object that counts how often it is read. */
function object(text: string) {
  const about = { reads: 0 };
  const body = (range?: { start: number; end: number }) => {
    about.reads += 1;
    return new Blob([text.slice(range?.start ?? 0, range?.end)]);
  };
  return Object.assign(about, { size: text.length, modifiedAt: 0, body });
}
const settle = () => Bun.sleep(5);
const read = (blob: unknown) => (blob as Blob).text();

test('the first who asks is answered by the store, all others from memory', async () => {
  const memory = new ObjectBytesCache(100);
  const one = object('0123456789');
  const body = memory.bodyOf(one);
  expect(await read(body())).toBe('0123456789');
  await settle();
  const before = one.reads;
  expect(await read(body())).toBe('0123456789');
  expect(await read(body({ start: 2, end: 5 }))).toBe('234');
  expect([one.reads, memory.size]).toEqual([before, 10]);
});

test('many who ask at once load it once', async () => {
  const memory = new ObjectBytesCache(100);
  const one = object('0123456789');
  const body = memory.bodyOf(one);
  for (let i = 0; i < 20; i += 1) body();
  await settle();
  expect([one.reads, memory.size]).toEqual([21, 10]);
});

test('no more is held than the budget, and what is used stays', async () => {
  const memory = new ObjectBytesCache(100, () => 0);
  const favourite = object('f'.repeat(10));
  const often = memory.bodyOf(favourite);
  often();
  await settle();
  for (let i = 0; i < 60; i += 1) {
    often();
    memory.bodyOf(object('x'.repeat(10)))();
    await settle();
    expect(memory.size).toBeLessThanOrEqual(100);
  }
  expect(memory.size).toBe(100);
  const before = favourite.reads;
  often();
  expect(favourite.reads).toBe(before);
});

test('once it is full, most of what is asked for takes nobody’s place', async () => {
  const chances = [0.9, 0.5, 0.2, 0.1];
  const memory = new ObjectBytesCache(10, () => chances.shift() ?? 1);
  const first = object('0123456789');
  const body = memory.bodyOf(first);
  body();
  await settle();
  const newcomer = object('abcdefghij');
  const other = memory.bodyOf(newcomer);
  for (let i = 0; i < 3; i += 1) other();
  await settle();
  expect(newcomer.reads).toBe(3);
  other();
  await settle();
  expect([newcomer.reads, memory.size]).toEqual([5, 10]);
});

test('what is larger than the budget, shorter than it said or gone is not held', async () => {
  const memory = new ObjectBytesCache(10);
  memory.bodyOf(object('x'.repeat(11)))();
  memory.bodyOf({ ...object('abc'), size: 5 })();
  const failing = new ReadableStream({ start: (stream) => stream.error(new Error('gone')) });
  memory.bodyOf({ ...object('abc'), body: () => failing })();
  await settle();
  expect(memory.size).toBe(0);
});

test('the budget is a part of this machine’s memory, within reason', () => {
  expect(memoryBudget()).toBeGreaterThanOrEqual(32 * MIB);
  expect(memoryBudget()).toBeLessThanOrEqual(256 * MIB);
});
