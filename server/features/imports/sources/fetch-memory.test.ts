import { expect, test } from 'bun:test';
import { FetchMemory, MISSING_TTL_MS, PAUSE_MS } from './fetch-memory.ts';

let now = 1_800_000_000_000;
const memory = new FetchMemory(() => now);

test('what a source does not have is known for half a minute, and of that source alone', () => {
  memory.setAnswer('a', 'photo.jpg', 'missing');
  memory.setAnswer('a', 'locked.jpg', 'refused');
  now += MISSING_TTL_MS - 1;
  expect(memory.answerOf('a', 'photo.jpg')).toBe('missing');
  expect(memory.answerOf('a', 'locked.jpg')).toBe('refused');
  expect(memory.answerOf('a', 'other.jpg')).toBeUndefined();
  expect(memory.answerOf('b', 'photo.jpg')).toBeUndefined();
  now += 1;
  expect(memory.answerOf('a', 'photo.jpg')).toBeUndefined();
});

test('a source that failed is not asked for some seconds', () => {
  expect(memory.waitOf('c')).toBe(0);
  memory.pause('c');
  expect(memory.waitOf('c')).toBe(PAUSE_MS);
  expect(memory.waitOf('d')).toBe(0);
  now += PAUSE_MS;
  expect(memory.waitOf('c')).toBe(0);
});

test('paths of any number take a bounded part of the memory', () => {
  const long = 'x'.repeat(1000);
  for (let n = 0; n < 10_000; n += 1) memory.setAnswer('g', `${long}${n}`, 'missing');
  expect(memory.answerOf('g', `${long}0`)).toBeUndefined();
  expect(memory.answerOf('g', `${long}9999`)).toBe('missing');
});
