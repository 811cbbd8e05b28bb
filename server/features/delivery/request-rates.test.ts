import { expect, test } from 'bun:test';
import { MINUTE, SECOND } from '../../contract/limits.ts';
import { RequestRates } from './request-rates.ts';

test('a key has its requests in each minute, and refused ones do not count', () => {
  let now = 10 * MINUTE + 15 * SECOND;
  const rates = new RequestRates(() => now);
  const take = (key: string) => rates.take(key, 2);
  expect([take('a'), take('a'), take('a'), take('b')]).toEqual([0, 0, 45 * SECOND, 0]);
  now += 45 * SECOND;
  expect([take('a'), take('a')]).toEqual([0, 0]);
});

test('keys of strangers take up bounded memory', () => {
  const rates = new RequestRates(() => 0);
  for (let n = 0; n < 50_000; n += 1) rates.take(String(n), 1);
  expect(rates.take('49999', 1)).toBe(MINUTE);
  rates.take('another', 1);
  expect(rates.take('0', 1)).toBe(0);
});
