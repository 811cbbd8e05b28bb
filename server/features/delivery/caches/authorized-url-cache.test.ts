import { expect, test } from 'bun:test';
import { AuthorizedUrlCache } from './authorized-url-cache.ts';

type Found = { name: string; isCurrent(): boolean };

const setup = () => {
  const at = { now: 5_000, dropped: '' };
  const cache = new AuthorizedUrlCache<Found>(() => at.now);
  const put = (url: string) => {
    cache.get(url);
    cache.set(url, { name: url, isCurrent: () => at.dropped !== url });
  };
  const nameAt = (url: string) => cache.get(url)?.name;
  return { at, cache, put, nameAt };
};

test('a URL leads to the same until its second ends', () => {
  const { at, put, nameAt } = setup();
  put('/a');
  at.now = 5_999;
  expect(nameAt('/a')).toBe('/a');
  expect(nameAt('/b')).toBeUndefined();
  at.now = 6_000;
  expect(nameAt('/a')).toBeUndefined();
});

test('nothing outlives a clock that is set back', () => {
  const { at, put, nameAt } = setup();
  put('/a');
  at.now = 4_000;
  expect(nameAt('/a')).toBeUndefined();
});

test('an entry that is no longer current leaves the others, and can be replaced', () => {
  const { at, put, nameAt } = setup();
  put('/a');
  put('/b');
  at.dropped = '/a';
  expect([nameAt('/a'), nameAt('/b')]).toEqual([undefined, '/b']);
  at.dropped = '';
  expect(nameAt('/a')).toBeUndefined();
  put('/a');
  expect(nameAt('/a')).toBe('/a');
});

test('neither many URLs nor long ones fill memory', () => {
  const { cache, put } = setup();
  const long = `/a?jwt=${'x'.repeat(2_000)}`;
  put(long);
  expect(cache.get(long)).toBeUndefined();
  for (let i = 0; i <= 10_000; i += 1) put(`/${i}`);
  expect(cache.get('/9999')).toBeDefined();
  expect(cache.get('/10000')).toBeUndefined();
});
