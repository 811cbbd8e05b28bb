import { expect, test } from 'bun:test';
import { createKeySequence } from './shortcuts.ts';

test('a key is itself, and after a g both are one', () => {
  const press = createKeySequence();
  expect(press('/', 0)).toBe('/');
  expect(press('g', 10)).toBe('g');
  expect(press('o', 900)).toBe('g o');
  expect(press('o', 950)).toBe('o');
});

test('a g that waited too long, or had its key, is forgotten', () => {
  const press = createKeySequence();
  press('g', 0);
  expect(press('f', 1_000)).toBe('f');
  press('g', 2_000);
  expect(press('g', 2_100)).toBe('g g');
  expect(press('f', 2_200)).toBe('f');
});
