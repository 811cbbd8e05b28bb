import { expect, test } from 'bun:test';
import { createUrlCache } from './url-cache.ts';

const setup = () => {
  const at = { now: 5_000, changes: 0 };
  const cache = createUrlCache<{ name: string }>(
    () => at.now,
    () => at.changes,
  );
  const put = (url: string) => {
    cache.get(url);
    cache.set(url, { name: url });
  };
  return { at, cache, put };
};

test('a URL leads to the same until its second ends', () => {
  const { at, cache, put } = setup();
  put('/a');
  at.now = 5_999;
  expect(cache.get('/a')).toEqual({ name: '/a' });
  expect(cache.get('/b')).toBeUndefined();
  at.now = 6_000;
  expect(cache.get('/a')).toBeUndefined();
});

test('nothing outlives a change, nor a clock that is set back', () => {
  const { at, cache, put } = setup();
  put('/a');
  at.changes += 1;
  expect(cache.get('/a')).toBeUndefined();
  put('/a');
  at.now = 4_000;
  expect(cache.get('/a')).toBeUndefined();
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
