import { expect, test } from 'bun:test';
import { sizesFor } from './sizes-for.ts';

const CHOSEN = ['1920x1080', '1280x720', '640x360', '240x426'];

test.each([
  [{ width: 1920, height: 1080 }, ['1920x1080', '1280x720', '640x360']],
  [{ width: 1280, height: 720 }, ['1280x720', '640x360']],
  [{ width: 320, height: 180 }, []],
  [{ width: 1080, height: 1920 }, ['240x426']],
  [{ width: 640, height: 480 }, []],
])('a video of %p gets %p', (source, sizes) => {
  expect(sizesFor(CHOSEN, source)).toEqual(sizes);
});

test('what is no size is left out', () => {
  expect(sizesFor(['wide', '640x360'], { width: 640, height: 360 })).toEqual(['640x360']);
});
