import { expect, test } from 'bun:test';
import { MINUTE } from '../../../contract/limits.ts';
import { MAX_MISSES_PER_MINUTE, MAX_MISSES_PER_READER, MissRates } from './miss-rates.ts';

let now = 1_800_000_000_000;
const rates = new MissRates(() => now);

test('a source is asked for a bounded number of objects a minute that it does not have', () => {
  for (let n = 1; n < MAX_MISSES_PER_MINUTE; n += 1) rates.count('a', `reader ${n}`);
  expect(rates.sourceWait('a')).toBe(0);
  rates.count('a', 'last');
  expect(rates.sourceWait('a')).toBe(MINUTE);
  expect(rates.sourceWait('b')).toBe(0);
  now += MINUTE;
  expect(rates.sourceWait('a')).toBe(0);
  rates.count('a', 'next');
  expect(rates.sourceWait('a')).toBe(0);
});

test('a reader uses up their own part of that, and not that of others', () => {
  for (let n = 1; n < MAX_MISSES_PER_READER; n += 1) rates.count('c', 'one');
  expect(rates.readerWait('c', 'one')).toBe(0);
  rates.count('c', 'one');
  expect(rates.readerWait('c', 'one')).toBe(MINUTE);
  expect(rates.readerWait('c', 'other')).toBe(0);
  expect(rates.readerWait('d', 'one')).toBe(0);
  expect(rates.sourceWait('c')).toBe(0);
  now += MINUTE - 1;
  expect(rates.readerWait('c', 'one')).toBe(1);
  now += 1;
  expect(rates.readerWait('c', 'one')).toBe(0);
});

test('who has no limit of their own has that of the source', () => {
  for (let n = 1; n < MAX_MISSES_PER_MINUTE; n += 1) rates.count('e', null);
  expect([rates.readerWait('e', null), rates.sourceWait('e')]).toEqual([0, 0]);
  rates.count('e', null);
  expect([rates.readerWait('e', null), rates.sourceWait('e')]).toEqual([0, MINUTE]);
});
