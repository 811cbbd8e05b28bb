import { expect, test } from 'bun:test';
import { contentTypeOf, storedContentType, uploadedContentType } from './content-types.ts';

test.each([
  ['master.m3u8', 'application/vnd.apple.mpegurl'],
  ['640x360/seg_00000.m4s', 'video/iso.segment'],
  ['640x360/init.mp4', 'video/mp4'],
  ['previews.vtt', 'text/vtt; charset=utf-8'],
  ['previews/sheet_000.webp', 'image/webp'],
  ['photo.JPG', 'image/jpeg'],
  ['page.html', 'application/octet-stream'],
  ['script.js', 'application/octet-stream'],
  ['noending', 'application/octet-stream'],
])('%s is served as %s', (name, type) => {
  expect(contentTypeOf(name)).toBe(type);
});

test.each([
  ['a.png', 'image', 'image/png'],
  ['a.mov', 'video', 'video/quicktime'],
  ['a.png', 'video', 'application/octet-stream'],
  ['list.m3u8', 'video', 'application/octet-stream'],
  ['noending', 'image', 'application/octet-stream'],
] as const)('an upload %s that is a %s is %s', (name, sniffed, type) => {
  expect(uploadedContentType(name, sniffed)).toBe(type);
});

test.each([
  ['application/vnd.oasis.opendocument.text', 'application/vnd.oasis.opendocument.text'],
  ['application/pdf', 'application/zip'],
  ['image/png', 'application/zip'],
])('a ZIP file that is named like %s is stored as %s', (named, type) => {
  expect(storedContentType(named, 'application/zip', false)).toBe(type);
});
