import { expect, test } from 'bun:test';
import { deliveredName } from './delivered-name.ts';

test.each([
  ['Harbour at dawn.jpg', 'harbour-at-dawn.webp', 'harbour-at-dawn.webp', 'Harbour at dawn.webp'],
  ['clip.v2.mkv', 'master.m3u8', 'master.m3u8', 'clip.v2.m3u8'],
  ['clip.mkv', 'master.m3u8', 'poster.webp', 'clip-poster.webp'],
  ['clip.mkv', 'master.m3u8', '640x360/seg_00001.m4s', 'clip-640x360-seg_00001.m4s'],
  ['no ending', 'no-ending.png', 'no-ending.png', 'no ending.png'],
  ['.png', 'png.png', 'png.png', '.png.png'],
])('%s, opened as %s: %s is saved as %s', (name, entry, object, expected) => {
  expect(deliveredName({ name, entry }, object)).toBe(expected);
});
