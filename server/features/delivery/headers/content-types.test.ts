import { expect, test } from 'bun:test';
import { contentTypeOf, isCues, isPlaylist } from './content-types.ts';

test.each([
  ['master.m3u8', 'application/vnd.apple.mpegurl'],
  ['640x360/seg_00000.m4s', 'video/iso.segment'],
  ['640x360/init.mp4', 'video/mp4'],
  ['previews.vtt', 'text/vtt; charset=utf-8'],
  ['previews/sheet_000.webp', 'image/webp'],
  ['page.html', 'application/octet-stream'],
  ['script.js', 'application/octet-stream'],
  ['noending', 'application/octet-stream'],
])('%s is served as %s', (name, type) => {
  expect(contentTypeOf(name)).toBe(type);
});

test('only what names other objects is rewritten for a token', () => {
  const names = ['master.m3u8', 'previews.vtt', 'a.webp', 'seg.m4s'];
  expect(names.filter(isPlaylist)).toEqual(['master.m3u8']);
  expect(names.filter(isCues)).toEqual(['previews.vtt']);
});
