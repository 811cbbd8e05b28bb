import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEntries } from './directory-entries.ts';
import { readFolder } from './read-folder.ts';

/** Enough for a folder that is read in pieces, on any file system. */
const MANY = 6000;
const base = await mkdtemp(join(tmpdir(), 'wharf-folders-'));
afterAll(() => rm(base, { recursive: true, force: true }));
const nameOf = (n: number) => `a-name-of-some-length-${n}`;

/** Makes a folder of many entries, half of them files. */
async function makeLarge(name: string): Promise<string> {
  const folder = join(base, name);
  await mkdir(folder);
  for (let n = 0; n < MANY; n += 1) {
    const path = join(folder, nameOf(n));
    await (n % 2 ? mkdir(path) : Bun.write(path, ''));
  }
  return folder;
}

describe('a large folder', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await makeLarge('large');
  });

  test('has each entry once, and says which are folders, to all who read it at once', async () => {
    const all = await Promise.all([1, 2, 3].map(() => Array.fromAsync(readFolder(folder))));
    const expected = Array.from({ length: MANY }, (_, n) => [nameOf(n), n % 2 === 1]);
    for (const entries of all) {
      const found = entries.map(({ name, isFolder }) => [name, isFolder]);
      expect(found.toSorted()).toEqual(expected.toSorted());
    }
  });

  test('is read on after a reader that has stopped early', async () => {
    for await (const entry of readFolder(folder)) {
      expect(entry.name).toStartWith('a-name');
      break;
    }
    expect(await Array.fromAsync(readFolder(folder))).toHaveLength(MANY);
  });

  test('is read piece by piece: what is removed meanwhile is not found', async () => {
    const names: string[] = [];
    for await (const { name } of readFolder(folder)) {
      if (names.length === 0) {
        for (const other of await readdir(folder))
          await rm(join(folder, other), { recursive: true });
      }
      names.push(name);
    }
    expect(names.length).toBeLessThan(MANY / 2);
  });

  test('ends where it is removed while it is read', async () => {
    const removed = await makeLarge('removed');
    const names: string[] = [];
    for await (const { name } of readFolder(removed)) {
      if (names.length === 0) await rm(removed, { recursive: true });
      names.push(name);
    }
    expect(names.length).toBeLessThan(MANY / 2);
  });
});

test('a small folder has its entries, and a link is not the folder that it leads to', async () => {
  const folder = join(base, 'small');
  await mkdir(join(folder, 'below'), { recursive: true });
  await Bun.write(join(folder, 'file'), '');
  await symlink(base, join(folder, 'link'));
  const found = (await Array.fromAsync(readFolder(folder))).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  expect(found).toEqual([
    { name: 'below', isFolder: true },
    { name: 'file', isFolder: false },
    { name: 'link', isFolder: false },
  ]);
});

test('what is missing, or no folder, has no entries', async () => {
  const file = join(base, 'file');
  await Bun.write(file, new Uint8Array(100_000));
  for (const path of [join(base, 'missing'), file, join(file, 'below')]) {
    expect(await Array.fromAsync(readFolder(path))).toEqual([]);
  }
});

/** Returns an entry as the kernel writes it, with zeros up to a multiple of eight bytes. */
function record(name: string, kind: number): Buffer {
  const length = Math.ceil((19 + Buffer.byteLength(name) + 1) / 8) * 8;
  const buffer = Buffer.alloc(length);
  buffer.writeUInt16LE(length, 16);
  buffer[18] = kind;
  buffer.write(name, 19);
  return buffer;
}

test('a file system may not say what an entry is, and names may contain anything', () => {
  const records = [
    record('.', 4),
    record('a', 0),
    record('..', 4),
    record('é\n', 4),
    record('l', 10),
  ];
  expect(parseEntries(Buffer.concat(records))).toEqual([
    { name: 'a', isFolder: null },
    { name: 'é\n', isFolder: true },
    { name: 'l', isFolder: false },
  ]);
});
