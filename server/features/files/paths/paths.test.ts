import { expect, test } from 'bun:test';
import { isPath, pathInFolder, requireFolder, splitExtension, unnumbered } from './paths.ts';

test.each([
  'a.jpg',
  'a/b/c.jpg',
  'a//b',
  'folder/',
  '/a',
  '...',
  '.hidden',
  'a..b/c.',
  'Ä ﬀ 😀',
  'e\u0301',
  '\u0080',
  'x'.repeat(1024),
])('%j is a path', (path) => {
  expect(isPath(path)).toBe(true);
});

test.each([
  '',
  '.',
  '..',
  'a/../b',
  './a',
  'a/.',
  'a\u0000b',
  'a\nb',
  'a\u001f',
  'a\u007f',
  'a\ud800b',
  'x'.repeat(1025),
  'ä'.repeat(513),
])('%j is no path', (path) => {
  expect(isPath(path)).toBe(false);
});

test.each([
  ['photo.jpg', 'photo.jpg'],
  ['.', '_'],
  ['..', '_'],
  ['...', '...'],
  ['', '_'],
  ['e\u0301.jpg', '\u00e9.jpg'],
  ['a\ud800', '_'],
  ['x'.repeat(255), 'x'.repeat(255)],
  ['😀'.repeat(255), '😀'.repeat(240)],
])('the name %j becomes the path %j', (name, path) => {
  expect(pathInFolder('', name)).toBe(path);
});

test.each([
  ['photo.jpg', 'photo', '.jpg'],
  ['archive.tar.gz', 'archive.tar', '.gz'],
  ['README', 'README', ''],
  ['.hidden', '.hidden', ''],
  ['a.b/c', 'a.b/c', ''],
  ['a/.hidden', 'a/.hidden', ''],
  ['a.', 'a', '.'],
  ['...', '..', '.'],
])('the path %j is %j and %j', (path, stem, extension) => {
  expect(splitExtension(path)).toEqual({ stem, extension });
});

test('a name in a folder leaves room for a number, whatever their characters', () => {
  expect(pathInFolder('photos/2026', 'a.jpg')).toBe('photos/2026/a.jpg');
  const folder = '😀'.repeat(128);
  expect(requireFolder(folder)).toBe(folder);
  for (const name of ['x'.repeat(255), '😀'.repeat(255), '..']) {
    expect(isPath(`${pathInFolder(folder, name)} (1048576)`)).toBe(true);
  }
});

test('a folder has no empty part, and room for a name', () => {
  expect(['', 'a', 'a/', 'a/b/'].map(requireFolder)).toEqual(['', 'a', 'a', 'a/b']);
  for (const wrong of ['/', '/a', 'a//b', 'a//', '..', 'a/../b', 'a\nb', 'x'.repeat(513)]) {
    expect(() => requireFolder(wrong)).toThrow('folder must be like');
  }
});

test.each([
  ['a.jpg', 'a.jpg'],
  ['a (2).jpg', 'a.jpg'],
  ['a (2) (31).jpg', 'a.jpg'],
  ['b/a (01m3z).jpg', 'b/a.jpg'],
  ['.x (2)', '.x'],
  ['a.tar (2).gz', 'a.tar.gz'],
  ['a (2) b.jpg', 'a (2) b.jpg'],
  ['a(2).jpg', 'a(2).jpg'],
  ['a (2)/b.jpg', 'a (2)/b.jpg'],
])('the path %j is %j without its numbers', (path, expected) => {
  expect(unnumbered(path)).toBe(expected);
});
