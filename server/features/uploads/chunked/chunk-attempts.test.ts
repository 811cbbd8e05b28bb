import { expect, test } from 'bun:test';
import { ChunkAttempts } from './chunk-attempts.ts';

test('a chunk has four attempts at the same time, whatever other chunks have', () => {
  const attempts = new ChunkAttempts();
  const [end] = Array.from({ length: 4 }, () => attempts.start('a', 0));
  expect(() => attempts.start('a', 0)).toThrow('This chunk is being sent too often at once.');
  for (const [upload, number] of [
    ['a', 1],
    ['b', 0],
  ] as const)
    attempts.start(upload, number)();
  end?.();
  attempts.start('a', 0);
  expect(() => attempts.start('a', 0)).toThrow();
});
