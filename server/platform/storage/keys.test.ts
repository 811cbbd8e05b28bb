import { describe, expect, test } from 'bun:test';
import { checkKey, checkPrefix } from './keys.ts';

const good = [
  'a',
  '_',
  '01hx/original',
  'bucket/file/attempt-1/1280x720/seg_00001.m4s',
  'a/photo.min.webp',
  'a/photo..webp',
  'a/trailing.',
  `${'a'.repeat(200)}/${'b'.repeat(200)}/${'c'.repeat(110)}`,
];

const bad = [
  ['nothing', ''],
  ['the parent', '..'],
  ['the folder itself', '.'],
  ['a climb', '../secret'],
  ['a climb in the middle', 'a/../../secret'],
  ['a climb at the end', 'a/..'],
  ['a dot in the middle', 'a/./b'],
  ['an absolute path', '/etc/passwd'],
  ['an empty segment', 'a//b'],
  ['a slash at the end', 'a/'],
  ['a hidden file', 'a/.env'],
  ['a leading hyphen', 'a/-rf'],
  ['a backslash', 'a\\..\\b'],
  ['a drive', 'C:/windows'],
  ['NUL', 'a\0b'],
  ['NUL at the end', 'a\0'],
  ['a line feed at the end', 'a\n'],
  ['a carriage return', 'a\rb'],
  ['an encoded climb', '%2e%2e/secret'],
  ['an encoded slash', 'a%2Fb'],
  ['a space', 'a b'],
  ['a tilde', '~root'],
  ['a fullwidth full stop', '\uff0e\uff0e/secret'],
  ['a one dot leader', '\u2024\u2024/secret'],
  ['a division slash', 'a\u2215b'],
  ['a right-to-left override', 'a\u202eb'],
  ['a zero-width space', 'a\u200bb'],
  ['a combining accent', 'e\u0301'],
  ['a Cyrillic letter', '\u0430'],
  ['a Kelvin sign, which folds to k', '\u212a'],
  ['half a surrogate pair', 'a\ud800'],
  ['a segment of 201', 'a'.repeat(201)],
  ['a key of 513', `${'a/'.repeat(256)}a`],
] as const;

describe('an object key', () => {
  test.each(good)('may be %p', (key) => {
    expect(checkKey(key)).toBe(key);
    expect(checkPrefix(`${key}/`)).toBe(`${key}/`);
  });

  test.each(bad)('is never %s', (_, key) => {
    expect(() => checkKey(key)).toThrow('Not an object key');
    expect(() => checkPrefix(`${key}/`)).toThrow('Not an object key');
  });

  test('may be 512 long', () => {
    expect(() => checkKey(`${'a/'.repeat(255)}ab`)).not.toThrow();
  });
});

describe('a prefix', () => {
  test.each(['a', 'a/b'])('ends in a slash, so %p is none', (prefix) => {
    expect(() => checkPrefix(prefix)).toThrow("ends in '/'");
  });

  test.each(['', '/', '//', '../', 'a//'])('is never %p', (prefix) => {
    expect(() => checkPrefix(prefix)).toThrow();
  });
});
