import { expect, test } from 'bun:test';
import { digitsOf } from './code-field.tsx';

test('a code is its digits, however it was pasted', () => {
  expect(digitsOf('123 456')).toBe('123456');
  expect(digitsOf('Your code: 012-345.')).toBe('012345');
  expect(digitsOf('1234567')).toBe('123456');
});
