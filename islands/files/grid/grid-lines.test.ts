import { expect, test } from 'bun:test';
import { CARD_HEIGHT, cardAfter, gapOf, LINE_HEIGHT } from './grid-lines.ts';

test.each([
  ['ArrowRight', 5, 6],
  ['ArrowLeft', 5, 4],
  ['ArrowDown', 5, 9],
  ['ArrowUp', 5, 1],
  ['Home', 5, 0],
  ['End', 5, 9],
  ['ArrowUp', 1, 1],
  ['ArrowDown', 7, 7],
  ['ArrowRight', 9, 9],
])('%p leads from card %p to %p of ten in four columns', (key, at, to) => {
  expect(cardAfter(key, at, 10, 4)).toBe(to);
});

test('other keys are the browser’s', () => {
  for (const key of ['Enter', 'Tab', 'a', 'PageDown']) expect(cardAfter(key, 5, 10, 4)).toBeNull();
});

test('the space of lines is as high as they are, without the gap that follows it', () => {
  expect([gapOf(0), gapOf(1), gapOf(3)]).toEqual([0, CARD_HEIGHT, 3 * LINE_HEIGHT - 8]);
});
