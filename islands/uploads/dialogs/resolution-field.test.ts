import { expect, test } from 'bun:test';
import { isSizeList, parseSizes, sizesThatFit, toggleSize } from './resolution-field.tsx';

const SELECTED = ['1920x1080', '1280x720', '640x360', '240x426'];

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

test.each([
  [{ width: 1920, height: 1080 }, ['1920x1080', '1280x720', '640x360']],
  [{ width: 1280, height: 720 }, ['1280x720', '640x360']],
  [{ width: 320, height: 180 }, []],
  [{ width: 1080, height: 1920 }, ['240x426']],
  [{ width: 640, height: 480 }, []],
])('a video of %p gets %p', (source, sizes) => {
  expect(sizesThatFit(SELECTED, source)).toEqual(sizes);
});

test('what is no size is left out', () => {
  expect(sizesThatFit(['wide', '640x360'], { width: 640, height: 360 })).toEqual(['640x360']);
});
