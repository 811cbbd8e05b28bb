import { constants } from 'node:fs';
import { copyFile, link, open, rename, stat, unlink } from 'node:fs/promises';
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
import type { ObjectStore, SourceObject, StoredObject } from './port.ts';
import { readPieces } from './read-pieces.ts';
import { freeSlice } from './slots/free-slice.ts';
import { SharedFiles } from './slots/shared-files.ts';
import { filePath, findSlice, type Slice } from './slots/slice.ts';
import { deleteStaleTemporaryFiles, findStaleTemporaryFiles } from './temporary-files.ts';
import { type Place, type Synced, WHOLE_BYTES, writeStream } from './write-stream.ts';

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
  const shared = new SharedFiles(layout);
  return {
    ...putting(layout, shared, reserve),
    ...composing(layout, shared, reserve),
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
  { objects, tmp, pathOf }: Layout,
  shared: SharedFiles,
  reserve: Pick<DiskReserve, 'require'> | undefined,
): Pick<ObjectStore, 'put' | 'putFile'> {
  return {
    async put(key, body, { slot, ...limits } = {}) {
      const target = pathOf(key);
      const write = (to: string | Place, synced: Synced = 'all') =>
        writeStream(body, to, { ...limits, reserve, synced });
      return withMovedTemporary(tmp, async (path) => {
        const isWithin = slot && limits.maxBytes !== undefined && limits.maxBytes <= slot.bytes;
        const shares = isWithin ? await shared.put(target, slot, write) : null;
        if (shares !== null) return { size: shares };
        const size = await write(path, 'large');
        await publish(path, target, objects, { isDurable: size > WHOLE_BYTES });
        return { size };
      });
    },

    async putFile(key, path) {
      const target = pathOf(key);
      return withMovedTemporary(tmp, async (copy) => {
        const size = await syncFile(path);
        try {
          await publish(path, target, objects);
        } catch (error) {
          if (!isSystemError(error, 'EXDEV')) throw error;
          await writeStream(Bun.file(path).stream(), copy);
          await publish(copy, target, objects);
          await unlink(path);
        }
        return { size };
      });
    },
  };
}

function composing(
  layout: Layout,
  shared: SharedFiles,
  reserve: Pick<DiskReserve, 'require'> | undefined,
): Pick<ObjectStore, 'compose' | 'copy'> {
  const { objects, tmp, pathOf } = layout;
  /** Passes the bytes through this process. */
  const join = (target: string, sources: SourceObject[]) =>
    withMovedTemporary(tmp, async (path) => {
      const size = await writeStream(concatenate(reading(layout), sources), path, { reserve });
      await publish(path, target, objects);
      return { size };
    });
  const copy: ObjectStore['copy'] = async (key, source) => {
    const [target, from] = [pathOf(key), pathOf(source.key)];
    await reserve?.require(source.size);
    return withMovedTemporary(tmp, async (path) => {
      // A file system that shares blocks copies none.
      const copied = copyFile(from, path, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
      if ((await unlessMissing(copied.then(() => true))) === null) {
        if (await findSlice(from)) return join(target, [source]);
        throw notFound('File');
      }
      const size = await syncFile(path);
      await publish(path, target, objects);
      return { size };
    });
  };
  return {
    copy,
    async compose(key, sources) {
      const target = pathOf(key);
      const [only, ...others] = sources;
      const whole = shared.take(sources.map(({ key, size }) => ({ path: pathOf(key), size })));
      if (whole !== null) return linkAs(layout, whole, target, sources);
      if (only && others.length === 0) return copy(key, only);
      return join(target, sources);
    },
  };
}

/** Makes a file that begins with the bytes of objects the one that has them, without what failed puts have left behind. */
async function linkAs(
  { objects, tmp }: Layout,
  file: string,
  target: string,
  sources: SourceObject[],
): Promise<{ size: number }> {
  const size = sources.reduce((sum, source) => sum + source.size, 0);
  // Where the target is the same file already, the rename leaves the temporary name.
  return withTemporary(tmp, async (path) => {
    if ((await unlessMissing(link(file, path).then(() => true))) === null) throw notFound('File');
    const handle = await open(path, 'r+');
    try {
      if ((await handle.stat()).size > size) await handle.truncate(size);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await publish(path, target, objects);
    return { size };
  });
}

function reading({
  objects,
  pathOf,
  folderOf,
}: Layout): Pick<ObjectStore, 'head' | 'open' | 'list'> {
  return {
    async head(key) {
      const found = await findBytes(pathOf(key));
      return found && { size: found.end - found.start, modifiedAt: found.modifiedAt };
    },

    async open(key: string): Promise<StoredObject | null> {
      const found = await findBytes(pathOf(key));
      if (!found) return null;
      const { path, start, end, modifiedAt, isFile } = found;
      const size = end - start;
      return {
        ...{ size, modifiedAt },
        body(range) {
          if (isFile && !range) return Bun.file(path);
          const { start: from, end: to } = range ?? { start: 0, end: size };
          return Bun.file(path).slice(start + from, start + to);
        },
        stream: (range = { start: 0, end: size }) =>
          readPieces(path, { start: start + range.start, end: start + range.end }),
      };
    },

    list: (prefix) => walkFiles(prefix ? folderOf(prefix) : objects, prefix),
  };
}

/** Returns where the bytes of an object are, and whether they are a file of their own; null where there is no such object. */
async function findBytes(path: string): Promise<(Slice & { isFile: boolean }) | null> {
  const file = await unlessMissing(stat(path));
  if (file && !file.isFile()) return null;
  if (file) {
    const modifiedAt = Math.floor(file.mtimeMs);
    return { path, start: 0, end: file.size, modifiedAt, isFile: true };
  }
  const slice = await findSlice(path);
  return slice && { ...slice, isFile: false };
}

function deleting({
  objects,
  tmp,
  pathOf,
  folderOf,
}: Layout): Pick<ObjectStore, 'delete' | 'deleteMany' | 'deletePrefix'> {
  const deleteObject = async (key: string) => {
    const path = pathOf(key);
    // The bytes first: whoever finds only these after a crash would not know whose they were.
    for (const name of [filePath(path), path]) {
      await unlink(name).catch((error) => {
        // A folder of that name is not an object: unlink fails with EISDIR on Linux, and with EPERM
        // elsewhere.
        if (!isSystemError(error, ...MISSING, 'EISDIR', 'EPERM')) throw error;
      });
    }
    await prune(dirname(path), objects);
  };
  return {
    delete: (key, { isUnread = false } = {}) =>
      isUnread ? freeSlice(pathOf(key), () => deleteObject(key)) : deleteObject(key),
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
