import { expect, test } from 'bun:test';
import { isSizeList, parseSizes, toggleSize } from './resolution-field.tsx';

test('a suggestion is put in and taken out again', () => {
  expect(toggleSize('', '1280x720')).toBe('1280x720');
  expect(toggleSize('1280x720', '640x360')).toBe('1280x720, 640x360');
  expect(toggleSize('1280x720, 640x360', '1280x720')).toBe('640x360');
});

test('commas and spaces too many do no harm', () => {
  expect(parseSizes(' 1280x720 ,, 640x360,1280x720 ')).toEqual(['1280x720', '640x360']);
});

test('what is not a size is told from what is', () => {
  expect(isSizeList('')).toBe(true);
  expect(isSizeList('1280x720, 640x360')).toBe(true);
  for (const text of ['720p', '1280x', '1280 x 720', '1280x720; 640x360', '0x0']) {
    expect(isSizeList(text)).toBe(false);
  }
});
