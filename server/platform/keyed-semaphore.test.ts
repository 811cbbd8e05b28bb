import { expect, test } from 'bun:test';
import { KeyedSemaphore } from './keyed-semaphore.ts';

test('a key has so many places at the same time, whatever other keys have', () => {
  const semaphore = new KeyedSemaphore(4, () => new Error('too much at once'));
  const [free] = Array.from({ length: 4 }, () => semaphore.acquire('a'));
  expect(() => semaphore.acquire('a')).toThrow('too much at once');
  semaphore.acquire('b')();
  free?.();
  semaphore.acquire('a');
  expect(() => semaphore.acquire('a')).toThrow('too much at once');
});

test('work has its place until it ends, also by a failure', async () => {
  const semaphore = new KeyedSemaphore(1, () => new Error('too much at once'));
  const fail = async () => {
    expect(() => semaphore.acquire('a')).toThrow('too much at once');
    throw new Error('broken');
  };
  await expect(semaphore.run('a', fail)).rejects.toThrow('broken');
  expect(await semaphore.run('a', async () => 'done')).toBe('done');
});
