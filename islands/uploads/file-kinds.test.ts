import { expect, test } from 'bun:test';
import { MIB } from '../../server/contract/limits.ts';
import { dialogFor, kindOf, newOnes, refusalOf, sameName } from './file-kinds.ts';

const file = (name: string, type: string) => ({ name, type });

test.each([
  ['photo.jpg', 'image/jpeg', 'image'],
  ['logo.svg', 'image/svg+xml', 'image'],
  ['scan.tiff', 'image/tiff', 'image'],
  ['photo.avif', 'image/avif', 'image'],
  ['photo.heic', 'image/heic', 'image'],
  ['IMG_0001.HEIC', '', 'image'],
  ['scan.bmp', 'image/bmp', 'image'],
  ['clip.mp4', 'video/mp4', 'video'],
  ['clip.mkv', 'video/x-matroska', 'video'],
  ['CLIP.MKV', '', 'video'],
  ['mkv', '', null],
  ['notes.txt', 'text/plain', null],
  ['notes.mp4', 'text/plain', null],
  ['folder', '', null],
] as const)('%p of type %p belongs to %p', (name, type, kind) => {
  expect(kindOf(file(name, type))).toBe(kind);
});

test('dropped files of one kind open its dialog, and a mixture opens the one for files', () => {
  const photo = file('a.jpg', 'image/jpeg');
  const clip = file('b.mp4', 'video/mp4');
  const text = file('c.txt', 'text/plain');
  expect(dialogFor([photo, photo])).toBe('image');
  expect(dialogFor([clip])).toBe('video');
  expect(dialogFor([text])).toBe('file');
  expect(dialogFor([photo, clip])).toBe('file');
  expect(dialogFor([photo, text])).toBe('file');
  expect(dialogFor([])).toBeNull();
});

test('a file that is chosen twice is there once', () => {
  const one = { name: 'a', size: 1, lastModified: 1 };
  const changed = { ...one, lastModified: 2 };
  expect(newOnes([one], [one, changed])).toEqual([changed]);
});

test('two files of one name in one folder are found, also where their letters are composed differently', () => {
  const at = (name: string, folder = '') => ({ name, webkitRelativePath: `${folder}${name}` });
  expect(sameName([at('a.jpg'), at('b.jpg'), at('A.jpg')])).toBeNull();
  expect(sameName([at('a.jpg', 'one/'), at('a.jpg', 'two/'), at('a.jpg')])).toBeNull();
  expect(sameName([at('a.jpg', 'one/'), at('a.jpg', 'one/')])).toBe('a.jpg');
  expect(sameName([at('caf\u00e9.jpg'), at('cafe\u0301.jpg')])).toBe('cafe\u0301.jpg');
});

test.each([
  ['photo.jpg', 'image/jpeg', 50 * MIB, null],
  ['photo.jpg', 'image/jpeg', 50 * MIB + 1, 'photo.jpg is larger than 50 MiB.'],
  [
    'notes.txt',
    'text/plain',
    1,
    'notes.txt is not a JPEG, PNG, WebP, GIF, SVG, AVIF, HEIC, TIFF or BMP image.',
  ],
  [
    'clip.mkv',
    '',
    1,
    'clip.mkv is not a JPEG, PNG, WebP, GIF, SVG, AVIF, HEIC, TIFF or BMP image.',
  ],
  ['photo', '', 1, null],
  ['photo.jpg', 'image/jpeg', 0, 'photo.jpg is empty.'],
] as const)('%p of type %p with %p bytes is refused with %p', (name, type, size, reason) => {
  expect(refusalOf({ name, type, size })).toBe(reason);
});
