import { expect, test } from 'bun:test';
import { baseName, folderOf, nameProblem, stemLength, toFolder } from './paths.ts';

test('a path has a folder and a name', () => {
  expect([folderOf('a/b/c.txt'), folderOf('c.txt')]).toEqual(['a/b/', '']);
  expect([baseName('a/b/c.txt'), baseName('a/b/'), baseName('c')]).toEqual(['c.txt', 'b', 'c']);
});

test('the extension is no part of what is replaced of a name', () => {
  expect(['a.txt', 'a.tar.gz', '.env', 'README'].map(stemLength)).toEqual([1, 5, 4, 6]);
});

test('a name is a part of a path', () => {
  expect(nameProblem('a b.txt')).toBeNull();
  for (const name of ['', 'a/b', '.', '..']) expect(nameProblem(name)).not.toBeNull();
});

test('a typed folder ends in a slash', () => {
  expect(['', '/', ' a ', 'a/b', '/a/b//'].map(toFolder)).toEqual(['', '', 'a/', 'a/b/', 'a/b/']);
});
