import { constants } from 'node:fs';
import { copyFile, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { notFound } from '../../errors.ts';
import { forEachConcurrent } from '../concurrency.ts';
import { makeFolder } from '../durable-folders.ts';
import { readFolder } from '../folders/read-folder.ts';
import { isSystemError } from '../system-error.ts';
import { concatenate } from './concatenate.ts';
import {
  MISSING,
  prune,
  publish,
  syncFile,
  unlessMissing,
  walkFiles,
  withMovedTemporary,
  withTemporary,
} from './disk-files.ts';
import type { DiskReserve } from './disk-reserve.ts';
import { checkKey, checkPrefix } from './keys.ts';
import type { ObjectStore, StoredObject } from './port.ts';
import { readPieces } from './read-pieces.ts';
import { deleteStaleTemporaryFiles, findStaleTemporaryFiles } from './temporary-files.ts';
import { writeStream } from './write-stream.ts';

/** Of one call; the sweep makes several at the same time. */
const DELETE_CONCURRENCY = 2;

type Layout = ReturnType<typeof layoutOf>;

/**
 * Stores objects as files. A file is written in `root/tmp` and then renamed to `root/objects/<key>`, so
 * both must be on the same file system. Only our own user can read them. Several processes can share a
 * root. Makes the folders and removes what dead processes left in `tmp`; throws where it can't.
 */
export async function openDiskStore({
  root,
  isOnlyProcess = false,
  reserve,
}: {
  root: string;
  /** Whether no server in another container uses the same root. */
  isOnlyProcess?: boolean;
  /** What stays free of the disk; nothing by default. */
  reserve?: Pick<DiskReserve, 'require'> | undefined;
}): Promise<ObjectStore> {
  const layout = layoutOf(root);
  const { objects, tmp } = layout;
  for (const folder of [objects, tmp]) await makeFolder(folder);
  await deleteStaleTemporaryFiles(tmp, Date.now(), { isOnlyProcess });
  return {
    ...putting(layout, reserve),
    ...composing(layout, reserve),
    ...reading(layout),
    ...deleting(layout),
    requireSpace: async (_prefix, bytes) => reserve?.require(bytes),
    tidy: (now) => deleteStaleTemporaryFiles(tmp, now),
    async check() {
      await withTemporary(tmp, (path) => writeStream(new Blob(['check']).stream(), path));
    },
  };
}

/**
 * Opens the same objects for reading only, and changes nothing on the disk. `leftovers` yields the
 * temporary files of processes that have died.
 */
export function openDiskForReading({ root }: { root: string }) {
  const layout = layoutOf(root);
  const leftovers = (now: number) => findStaleTemporaryFiles(layout.tmp, now);
  return { ...reading(layout), leftovers };
}

function layoutOf(root: string) {
  const objects = join(root, 'objects');
  return {
    objects,
    tmp: join(root, 'tmp'),
    pathOf: (key: string) => join(objects, checkKey(key)),
    folderOf: (prefix: string) => join(objects, checkPrefix(prefix)),
  };
}

function putting(
  { tmp, pathOf }: Layout,
  reserve: Pick<DiskReserve, 'require'> | undefined,
): Pick<ObjectStore, 'put' | 'putFile'> {
  return {
    async put(key, body, limits) {
      const target = pathOf(key);
      return withMovedTemporary(tmp, async (path) => {
        const size = await writeStream(body, path, { ...limits, reserve });
        await publish(path, target);
        return { size };
      });
    },

    async putFile(key, path) {
      const target = pathOf(key);
      return withMovedTemporary(tmp, async (copy) => {
        const size = await syncFile(path);
        try {
          await publish(path, target);
        } catch (error) {
          if (!isSystemError(error, 'EXDEV')) throw error;
          await writeStream(Bun.file(path).stream(), copy);
          await publish(copy, target);
          await unlink(path);
        }
        return { size };
      });
    },
  };
}

function composing(
  layout: Layout,
  reserve: Pick<DiskReserve, 'require'> | undefined,
): Pick<ObjectStore, 'compose' | 'copy'> {
  const { tmp, pathOf } = layout;
  const copy: ObjectStore['copy'] = async (key, source) => {
    const [target, from] = [pathOf(key), pathOf(source.key)];
    await reserve?.require(source.size);
    return withMovedTemporary(tmp, async (path) => {
      // A file system that shares blocks copies none.
      const copied = copyFile(from, path, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
      if ((await unlessMissing(copied.then(() => true))) === null) throw notFound('File');
      const size = await syncFile(path);
      await publish(path, target);
      return { size };
    });
  };
  return {
    copy,
    async compose(key, sources) {
      const target = pathOf(key);
      const [only, ...others] = sources;
      if (only && others.length === 0) return copy(key, only);
      return withMovedTemporary(tmp, async (path) => {
        const size = await writeStream(concatenate(reading(layout), sources), path, { reserve });
        await publish(path, target);
        return { size };
      });
    },
  };
}

function reading({
  objects,
  pathOf,
  folderOf,
}: Layout): Pick<ObjectStore, 'head' | 'open' | 'list'> {
  const head: ObjectStore['head'] = async (key) => {
    const file = await unlessMissing(stat(pathOf(key)));
    return file?.isFile() ? { size: file.size, modifiedAt: Math.floor(file.mtimeMs) } : null;
  };
  return {
    head,
    async open(key: string): Promise<StoredObject | null> {
      const found = await head(key);
      const path = pathOf(key);
      const body: StoredObject['body'] = (range) =>
        range ? Bun.file(path).slice(range.start, range.end) : Bun.file(path);
      if (!found) return null;
      const stream: StoredObject['stream'] = (range = { start: 0, end: found.size }) =>
        readPieces(path, range);
      return { ...found, body, stream };
    },

    list: (prefix) => walkFiles(prefix ? folderOf(prefix) : objects, prefix),
  };
}

function deleting({
  objects,
  tmp,
  pathOf,
  folderOf,
}: Layout): Pick<ObjectStore, 'delete' | 'deleteMany' | 'deletePrefix'> {
  const deleteObject = async (key: string) => {
    const path = pathOf(key);
    await unlink(path).catch((error) => {
      // A folder of that name is not an object: unlink fails with EISDIR on Linux, and with EPERM
      // elsewhere.
      if (!isSystemError(error, ...MISSING, 'EISDIR', 'EPERM')) throw error;
    });
    await prune(dirname(path), objects);
  };
  return {
    delete: deleteObject,
    deleteMany: (keys) => forEachConcurrent(keys, DELETE_CONCURRENCY, deleteObject),

    async deletePrefix(prefix, isOver = () => false) {
      const folder = folderOf(prefix);
      // A folder is moved away at once, so that no concurrent put can land in a folder that is being
      // emptied.
      const discard = (path: string) =>
        withTemporary(tmp, async (away) => void (await unlessMissing(rename(path, away))));
      // The folder of a bucket can have a million others in it, and one call that removes them all would
      // occupy one of the few threads that also read files.
      const entries = takeUntil(readFolder(folder), isOver);
      await forEachConcurrent(entries, DELETE_CONCURRENCY, ({ name }) =>
        discard(join(folder, name)),
      );
      if (isOver()) return false;
      // The slash at the end of the prefix keeps an object of the same name in its place.
      await discard(folder);
      await prune(dirname(folder), objects);
      return true;
    },
  };
}

async function* takeUntil<Item>(
  items: AsyncIterable<Item>,
  isOver: () => boolean,
): AsyncGenerator<Item> {
  for await (const item of items) {
    if (isOver()) return;
    yield item;
  }
}
