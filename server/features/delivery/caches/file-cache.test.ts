import { expect, test } from 'bun:test';
import type { DeliveredFile } from '../../files/service.ts';
import { FileCache } from './file-cache.ts';

/** More files than fit. */
const MANY = 20_000;

const file = (id: string, path = id, text: Partial<DeliveredFile> = {}) =>
  ({ id, bucket_id: 'b', path, name: 'a.txt', headers: null, ...text }) as DeliveredFile;

/** Adds many files of an account, and returns how many of them stay. */
function fill(cache: FileCache, ownerId: string, count = MANY): number {
  const ids = Array.from({ length: count }, (_, n) => `${ownerId} ${n}`);
  for (const id of ids) cache.add(file(id), ownerId);
  return ids.filter((id) => cache.get(id)).length;
}

test('a file is found by its id and by its path, and by neither once it is dropped', () => {
  const cache = new FileCache();
  cache.add(file('one', 'notes/one.txt'), 'u');
  const found = cache.get('one');
  expect([found?.isCurrent, cache.at('b', 'notes/one.txt')]).toEqual([true, found]);
  expect([cache.at('other', 'notes/one.txt'), cache.at('b', 'notes')]).toEqual([
    ...[undefined, undefined],
  ]);
  cache.delete('one');
  expect([found?.isCurrent, cache.get('one'), cache.at('b', 'notes/one.txt')]).toEqual([
    ...[false, undefined, undefined],
  ]);
});

test('a path leads to the file that came last, also once the event of the one before arrives', () => {
  const cache = new FileCache();
  cache.add(file('old', 'page.txt'), 'u');
  cache.add(file('new', 'page.txt'), 'u');
  expect(cache.at('b', 'page.txt')?.row.id).toBe('new');
  cache.delete('old');
  expect(cache.at('b', 'page.txt')?.row.id).toBe('new');
  cache.clear();
  expect([cache.at('b', 'page.txt'), cache.get('new')]).toEqual([undefined, undefined]);
});

test('an account alone may fill the cache, and displaces nothing of others', () => {
  const cache = new FileCache();
  fill(cache, 'quiet', 100);
  const greedy = fill(cache, 'greedy');
  expect(greedy).toBeGreaterThan(10_000);
  expect(greedy).toBeLessThan(MANY);
  expect(cache.get('quiet 0')?.isCurrent).toBe(true);
  expect(cache.at('b', 'quiet 99')?.isCurrent).toBe(true);
});

test('who has little gets its share of a cache that another account has filled', () => {
  const cache = new FileCache();
  fill(cache, 'greedy');
  expect(fill(cache, 'late', 1000)).toBe(1000);
  fill(cache, 'greedy');
  expect(cache.at('b', 'late 0')?.isCurrent).toBe(true);
});

test('long texts count, so that fewer files of them stay', () => {
  const cache = new FileCache();
  const long = { headers: 'x'.repeat(8192) };
  for (let n = 0; n < 5000; n += 1) cache.add(file(`${n}`, `${n}`, long), 'u');
  expect([cache.get('0'), cache.get('4999')?.isCurrent]).toEqual([undefined, true]);
});
