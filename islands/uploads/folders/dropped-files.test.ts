import { expect, test } from 'bun:test';
import { keyOf } from '../file-kinds.ts';
import { droppedFolders, filesIn, MAX_DROPPED_FILES, TooManyFilesError } from './dropped-files.ts';
import { relativeFolderOf } from './relative-folder.ts';

type Tree = { [name: string]: Tree | string };
/** As many as Chromium tells at a time. */
const BATCH = 100;

/** Returns an entry as browsers make them of what is dropped. */
function entryOf(name: string, content: Tree | string, above = '/'): FileSystemEntry {
  const fullPath = `${above}${name}`;
  if (typeof content === 'string') {
    const file = (resolve: (file: File) => void) =>
      resolve(new File([content], name, { lastModified: 1 }));
    return { isDirectory: false, name, fullPath, file } as never;
  }
  const createReader = () => {
    const rest = Object.entries(content).map(([child, of]) => entryOf(child, of, `${fullPath}/`));
    return {
      readEntries: (resolve: (some: FileSystemEntry[]) => void) => resolve(rest.splice(0, BATCH)),
    };
  };
  return { isDirectory: true, name, fullPath, createReader } as never;
}

test('every file of dropped folders comes with its folder, and one beside them without', async () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`${at}.txt`, 'x']));
  const files = await filesIn([
    entryOf('photos', { '2026': { 'a.jpg': 'a', deep: { 'b.jpg': 'b' } }, 'c.jpg': 'c', none: {} }),
    entryOf('d.txt', 'd'),
    entryOf('many', many),
  ]);
  const paths = files.map((file) => `${relativeFolderOf(file)}${file.name}`);
  expect(paths.slice(0, 4)).toEqual([
    ...['photos/2026/a.jpg', 'photos/2026/deep/b.jpg', 'photos/c.jpg', 'd.txt'],
  ]);
  expect(paths).toHaveLength(254);
  expect(new Set(paths).size).toBe(254);
});

test('files of one name in two folders are two files', async () => {
  const files = await filesIn([entryOf('x', { 'a.txt': '1' }), entryOf('y', { 'a.txt': '1' })]);
  expect(new Set(files.map(keyOf)).size).toBe(2);
});

test('too many files are refused', async () => {
  const all = Object.fromEntries(
    Array.from({ length: MAX_DROPPED_FILES + 1 }, (_, at) => [`${at}`, '']),
  );
  await expect(filesIn([entryOf('all', all)])).rejects.toThrow(TooManyFilesError);
});

test('files alone need no walk', () => {
  const item = (entry: FileSystemEntry | null) => ({ webkitGetAsEntry: () => entry });
  const transfer = (...items: unknown[]) => ({ items }) as never;
  expect(droppedFolders(null)).toBeNull();
  expect(droppedFolders(transfer(item(entryOf('a', 'x')), item(null)))).toBeNull();
  expect(droppedFolders(transfer(item(entryOf('a', 'x')), item(entryOf('f', {}))))).toHaveLength(2);
});
