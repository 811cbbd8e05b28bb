import { afterAll, describe, expect, test } from 'bun:test';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIB } from '../../../contract/limits.ts';
import { openDiskStore } from '../disk.ts';
import type { ObjectStore } from '../port.ts';
import { bytes, chunked, read, stream } from '../testing/streams.ts';
import { SharedFiles } from './shared-files.ts';

const base = await mkdtemp(join(tmpdir(), 'wharf-slots-'));
afterAll(() => rm(base, { recursive: true, force: true }));
let roots = 0;
const newRoot = () => {
  roots += 1;
  return join(base, `root${roots}`);
};

const inSlot = (number: number, slotBytes = MIB) => ({
  maxBytes: slotBytes,
  slot: { number, bytes: slotBytes },
});
const sourceOf = (number: number, size = MIB) => ({ key: `u/a/${number}`, size });
const put = (store: ObjectStore, number: number) =>
  store.put(`u/a/${number}`, stream(bytes(MIB, number)), inSlot(number));
const pathOf = (root: string, key: string) => join(root, 'objects', key);
/** Returns the file that an object has, by the name that only it has. */
const fileOf = (root: string, number: number) => stat(pathOf(root, `u/a/.${number}`));
const everything = async (root: string) =>
  (await readdir(root, { recursive: true })).filter((path) => !['objects', 'tmp'].includes(path));
const allBytes = (...numbers: number[]) => Buffer.concat(numbers.map((n) => bytes(MIB, n)));
const sameBytes = async (store: ObjectStore, key: string, data: Uint8Array) => {
  const got = await read(await store.open(key));
  return got !== null && Buffer.from(got).equals(data);
};

describe('objects in the slots of one file', () => {
  test('are composed by another name of the file', async () => {
    const root = newRoot();
    const store = await openDiskStore({ root });
    await Promise.all([2, 1, 0].map((number) => put(store, number)));
    await store.compose('o/all', [sourceOf(0), sourceOf(1), sourceOf(2)]);
    const { ino, size, mode } = await stat(pathOf(root, 'o/all'));
    expect({ ino, size, mode: mode & 0o777 }).toEqual({
      ino: (await fileOf(root, 0)).ino,
      size: 3 * MIB,
      mode: 0o600,
    });
    await store.deletePrefix('u/a/');
    expect(await sameBytes(store, 'o/all', allBytes(0, 1, 2))).toBe(true);
    expect((await everything(root)).sort()).toEqual(['objects/o', 'objects/o/all']);
  });

  test('are composed by a copy from then on', async () => {
    const root = newRoot();
    const store = await openDiskStore({ root });
    for (const number of [0, 1]) await put(store, number);
    const sources = [sourceOf(0), sourceOf(1)];
    for (const key of ['o/first', 'o/second']) await store.compose(key, sources);
    const [first, second] = await Promise.all(
      ['o/first', 'o/second'].map((key) => stat(pathOf(root, key))),
    );
    expect(first?.ino).not.toBe(second?.ino);
    for (const key of ['o/first', 'o/second'])
      expect(await sameBytes(store, key, allBytes(0, 1))).toBe(true);
  });

  test('that come after the others were composed do not lengthen the composed object', async () => {
    const root = newRoot();
    const store = await openDiskStore({ root });
    for (const number of [0, 1]) await put(store, number);
    await store.compose('o/two', [sourceOf(0), sourceOf(1)]);
    await put(store, 2);
    expect(await sameBytes(store, 'o/two', allBytes(0, 1))).toBe(true);
    await store.compose('o/three', [sourceOf(0), sourceOf(1), sourceOf(2)]);
    expect(await sameBytes(store, 'o/three', allBytes(0, 1, 2))).toBe(true);
    expect(await sameBytes(store, 'o/two', allBytes(0, 1))).toBe(true);
  });

  test('take no place on the disk where a put fails, and the next one gets the slot', async () => {
    const root = newRoot();
    const store = await openDiskStore({ root });
    await put(store, 0);
    const before = (await fileOf(root, 0)).blocks;
    const failing = chunked((chunk) => {
      if (chunk === 90) throw new Error('the client went away');
    });
    const options = { ...inSlot(2), maxBytes: MIB };
    await expect(store.put('u/a/2', failing.body, options)).rejects.toThrow();
    const later = chunked((chunk) => {
      if (chunk === 12) throw new Error('the client went away');
    });
    await expect(store.put('u/a/1', later.body, inSlot(1))).rejects.toThrow('went away');
    expect((await fileOf(root, 0)).blocks).toBe(before);
    await put(store, 1);
    await store.compose('o/all', [sourceOf(0), sourceOf(1)]);
    expect((await stat(pathOf(root, 'o/all'))).ino).toBe((await fileOf(root, 0)).ino);
    expect(await sameBytes(store, 'o/all', allBytes(0, 1))).toBe(true);
  });

  test('take no place on the disk where they are deleted before anybody has read them', async () => {
    const root = newRoot();
    const store = await openDiskStore({ root });
    await put(store, 0);
    const before = (await fileOf(root, 0)).blocks;
    await put(store, 2);
    await store.put('u/a/1', stream(bytes(5000, 1)), inSlot(1));
    for (const number of [1, 2]) await store.delete(`u/a/${number}`, { isUnread: true });
    expect((await fileOf(root, 0)).blocks).toBe(before);
    expect(await store.open('u/a/1')).toBeNull();
    await put(store, 3);
    for (const number of [0, 3])
      expect(await sameBytes(store, `u/a/${number}`, allBytes(number))).toBe(true);
    await store.delete('u/a/none', { isUnread: true });
    const listed = await Array.fromAsync(store.list('u/a/'), ({ key }) => key);
    expect(listed.sort()).toEqual(['u/a/0', 'u/a/3']);
  });

  test('leave nothing where all of them are deleted or have failed', async () => {
    const root = newRoot();
    const store = await openDiskStore({ root });
    for (const number of [0, 1, 2]) await put(store, number);
    for (const number of [1, 0]) await store.delete(`u/a/${number}`);
    expect(await sameBytes(store, 'u/a/2', allBytes(2))).toBe(true);
    await put(store, 3);
    await store.deleteMany(['u/a/2', 'u/a/3']);
    const failing = chunked(() => {
      throw new Error('no');
    });
    await expect(store.put('u/a/4', failing.body, inSlot(4))).rejects.toThrow('no');
    expect(await everything(root)).toEqual([]);
    await put(store, 0);
    expect(await sameBytes(store, 'u/a/0', allBytes(0))).toBe(true);
  });

  test('are read and composed after a restart, and nobody writes to their file again', async () => {
    const root = newRoot();
    const earlier = await openDiskStore({ root });
    for (const number of [0, 1]) await put(earlier, number);
    const { ino, mtimeMs } = await fileOf(root, 0);
    const store = await openDiskStore({ root });
    await put(store, 2);
    expect((await fileOf(root, 2)).ino).not.toBe(ino);
    await store.compose('o/all', [sourceOf(0), sourceOf(1), sourceOf(2)]);
    expect(await sameBytes(store, 'o/all', allBytes(0, 1, 2))).toBe(true);
    expect(await fileOf(root, 0)).toMatchObject({ ino, mtimeMs });
  });

  test('survive a kill in the middle of others, which leave nothing', async () => {
    const root = newRoot();
    const script = join(import.meta.dir, '../testing/stalled-slots.ts');
    const child = Bun.spawn([process.execPath, script, root], { stdout: 'pipe' });
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      if (text.includes('halfway')) break;
    }
    child.kill('SIGKILL');
    await child.exited;
    const store = await openDiskStore({ root });
    expect(await readdir(join(root, 'tmp'))).toEqual([]);
    const listed = await Array.fromAsync(store.list('u/a/'));
    expect(listed.sort((a, b) => a.key.localeCompare(b.key))).toEqual([sourceOf(0), sourceOf(2)]);
    expect(await store.open('u/a/1')).toBeNull();
    await put(store, 1);
    await store.compose('o/all', [sourceOf(0), sourceOf(1), sourceOf(2)]);
    expect(await sameBytes(store, 'o/all', allBytes(0, 1, 2))).toBe(true);
    await store.deletePrefix('u/a/');
    expect((await everything(root)).sort()).toEqual(['objects/o', 'objects/o/all']);
  });

  test('of two uploads and of two sizes do not mix', async () => {
    const root = newRoot();
    const store = await openDiskStore({ root });
    const all = ['u/a/', 'u/b/'].flatMap((prefix, n) =>
      [0, 1].flatMap((number) =>
        [MIB, 2 * MIB].map((size) => ({
          key: `${prefix}${size}.${number}`,
          data: bytes(size, 4 * n + number),
          options: inSlot(number, size),
        })),
      ),
    );
    await Promise.all(all.map(({ key, data, options }) => store.put(key, stream(data), options)));
    for (const { key, data } of all) expect(await sameBytes(store, key, data)).toBe(true);
  });

  test('are forgotten where there are too many, and are composed all the same', async () => {
    const root = newRoot();
    const store = await openDiskStore({ root });
    for (const number of [0, 1]) await put(store, number);
    for (let n = 0; n < 256; n += 1) await store.put(`u/other${n}/0`, stream(bytes(1)), inSlot(0));
    await store.compose('o/all', [sourceOf(0), sourceOf(1)]);
    expect((await stat(pathOf(root, 'o/all'))).ino).not.toBe((await fileOf(root, 0)).ino);
    expect(await sameBytes(store, 'o/all', allBytes(0, 1))).toBe(true);
  });

  test('are forgotten where their files have too many objects, however few the files are', async () => {
    const root = newRoot();
    await mkdir(root);
    const shared = new SharedFiles({ tmp: root, objects: root }, { files: 8, objects: 4 });
    const place = (folder: string, number: number) => join(root, folder, `${number}`);
    const fill = async (folder: string, number: number) =>
      expect(
        await shared.put(place(folder, number), inSlot(number).slot, async ({ handle, start }) => {
          return (await handle.write(bytes(MIB, number), 0, MIB, start)).bytesWritten;
        }),
      ).toBe(MIB);
    const take = (folder: string, count: number) =>
      shared.take(Array.from({ length: count }, (_, n) => ({ path: place(folder, n), size: MIB })));
    for (const number of [0, 1]) await fill('first', number);
    for (const number of [0, 1, 2]) await fill('second', number);
    expect(take('first', 2)).toBeNull();
    expect(take('second', 3)).not.toBeNull();
  });
});
