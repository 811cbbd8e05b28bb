import { expect, test } from 'bun:test';
import { parseYes } from './form-fields.ts';

const parse = (value: string) => parseYes(new Map([['webp', value]]), 'webp');

test.each(['yes', 'true', '1'])('%p is yes', (value) => {
  expect(parse(value)).toBe(true);
});

test.each(['no', 'false', '0', ''])('%p is no', (value) => {
  expect(parse(value)).toBe(false);
});

test('a missing field is no', () => {
  expect(parseYes(new Map(), 'webp')).toBe(false);
});

test.each(['maybe', 'YES!', '2', ' '])('%p is refused', (value) => {
  expect(() => parse(value)).toThrow('webp must be yes or no.');
});
