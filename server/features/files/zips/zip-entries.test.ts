import { expect, test } from 'bun:test';
import { commonFolder, ZipNames, zipPathOf, zipSourceOf } from './zip-entries.ts';
import type { ZipFileRow } from './zip-store.ts';

const ROW: ZipFileRow = {
  ...{ id: '1', path: 'a/photo.jpg', file_type: 'file', expires_at: null, created_at: 0 },
  ...{ status: 'success', object_key: 'o/b/1/x', blob_prefix: 'o/b/1/', blob_size: 7 },
  ...{ prefix: null, entry: null, renditions: null },
};
const NO_BLOB = { object_key: null, blob_prefix: null, blob_size: null };
const delivered = (bytes: number, entry: string) =>
  JSON.stringify([{ name: 'delivered', width: 1, height: 1, bytes, entry }]);

test.each([
  ['a file', {}, { key: 'o/b/1/x', size: 7 }],
  ['an image with its original', { file_type: 'image' }, { key: 'o/b/1/x', size: 7 }],
  [
    'an image without its original',
    {
      ...NO_BLOB,
      file_type: 'image',
      prefix: 'f/',
      entry: 'p.webp',
      renditions: delivered(3, 'p.webp'),
    },
    { key: 'f/p.webp', size: 3 },
  ],
  [
    'an image of an earlier version, whose size only the storage knows',
    { ...NO_BLOB, file_type: 'image', prefix: 'f/', entry: 'p.webp' },
    { key: 'f/p.webp', size: null },
  ],
  [
    'a video with its original in parts',
    { file_type: 'video', object_key: null, prefix: 'f/', entry: 'master.m3u8' },
    { prefix: 'o/b/1/', size: 7 },
  ],
  [
    'a video of which only the streams are stored',
    { ...NO_BLOB, file_type: 'video', prefix: 'f/', entry: 'master.m3u8' },
    null,
  ],
  ['a file that is being processed', { status: 'processing' }, null],
  ['a file that has failed', { status: 'error' }, null],
] as [string, Partial<ZipFileRow>, unknown][])(
  '%s is in a ZIP by its bytes or not',
  (_, row, source) => {
    expect(zipSourceOf({ ...ROW, ...row })).toEqual(source as never);
  },
);

test('a delivered image has the extension of its format, and an original its own', () => {
  const row: ZipFileRow = { ...ROW, ...NO_BLOB, file_type: 'image', prefix: 'f/', entry: 'p.webp' };
  expect(zipPathOf(row, { key: 'f/p.webp', size: 1 })).toBe('a/photo.webp');
  expect(zipPathOf(ROW, { key: 'o/b/1/x', size: 7 })).toBe('a/photo.jpg');
});

test('names are relative to their folder, and no two are equal', () => {
  const names = new ZipNames('a/');
  const paths = ['a/photo.webp', 'a/photo (2).webp', 'a/photo.webp', 'a/photo.webp', 'a/b/ä😀'];
  expect(paths.map((path) => names.add(path))).toEqual([
    ...['photo.webp', 'photo (2).webp', 'photo (3).webp', 'photo (4).webp', 'b/ä😀'],
  ]);
});

test('no name leads out of the folder into which a ZIP is unpacked', () => {
  const names = new ZipNames('');
  const paths = ['/etc/passwd', '//a//b', '..\\..\\evil.exe', 'C:\\x', '/'];
  expect(paths.map((path) => names.add(path))).toEqual([
    ...['etc/passwd', 'a/b', '.._.._evil.exe', 'C:_x', '_'],
  ]);
});

test.each([
  [['a/b/c.txt', 'a/b/d/e.txt'], 'a/b/'],
  [['a/b/c.txt', 'a/bb/c.txt'], 'a/'],
  [['a.txt', 'b.txt'], ''],
  [['a/b.txt'], 'a/'],
  [[], ''],
])('the folder of %p is %p', (paths, folder) => {
  expect(commonFolder(paths)).toBe(folder);
});
