import { expect, test } from 'bun:test';
import { clockTime } from './file-facts.tsx';

test.each([
  [0, '0:00'],
  [7_600, '0:08'],
  [59_900, '1:00'],
  [605_000, '10:05'],
  [3_723_000, '1:02:03'],
])('%p ms is %p', (ms, text) => {
  expect(clockTime(ms)).toBe(text);
});
