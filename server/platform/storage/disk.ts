import { constants } from 'node:fs';
import { open, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { storageFull } from '../../errors.ts';
import { makeFolder, syncFolder } from '../durable.ts';
import { isSystemError } from '../system-error.ts';
import { contentHash } from './content-hash.ts';
import { checkKey, checkPrefix } from './keys.ts';
import type { ObjectStore } from './port.ts';
import {
  deleteStaleTemporaryFiles,
  findStaleTemporaryFiles,
  temporaryPath,
} from './temporary-files.ts';
import { walkFiles } from './walk-files.ts';
import { writeStream } from './write-stream.ts';

const MISSING = ['ENOENT', 'ENOTDIR'];
const ATTEMPTS = 20;

/**
 * Objects as files: `root/objects/<key>`, written in `root/tmp` first, which must be on the same
 * file system. All is for our user alone. Several processes may share a root. Makes the
 * folders and removes what dead processes left in `tmp`; throws where it can't.
 */
export async function openDiskStore({
  root,
  isAlone = false,
}: {
  root: string;
  /** No server of another container works on it. */
  isAlone?: boolean;
}): Promise<ObjectStore> {
  const { objects, tmp, pathOf, folderOf } = placesOf(root);
  for (const folder of [objects, tmp]) await makeFolder(folder);
  await deleteStaleTemporaryFiles(tmp, Date.now(), { isAlone });

  /** Runs with a path that holds nothing, and leaves nothing there. */
  async function withTemporary<T>(use: (path: string) => Promise<T>): Promise<T> {
    const path = temporaryPath(tmp);
    try {
      return await use(path);
    } catch (error) {
      throw isSystemError(error, 'ENOSPC', 'EDQUOT') ? storageFull() : error;
    } finally {
      await rm(path, { recursive: true, force: true });
    }
  }

  return {
    async put(key, body, limits) {
      const target = pathOf(key);
      return withTemporary(async (path) => {
        const size = await writeStream(body, path, limits);
        await publish(path, target);
        return { size };
      });
    },

    async putFile(key, path) {
      const target = pathOf(key);
      return withTemporary(async (copy) => {
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

    ...reading(root),

    async delete(key) {
      const path = pathOf(key);
      await unlink(path).catch((error) => {
        // A folder of that name is no object: EISDIR on Linux, EPERM elsewhere.
        if (!isSystemError(error, ...MISSING, 'EISDIR', 'EPERM')) throw error;
      });
      await prune(dirname(path), objects);
    },

    async deletePrefix(prefix) {
      const folder = folderOf(prefix);
      await withTemporary(async (path) => {
        // Moved away at once, so that no concurrent put can land in a folder that is being emptied.
        // The slash in the name keeps an object of the same name where it is.
        await unlessMissing(rename(folder, path));
        await prune(dirname(folder), objects);
      });
    },

    tidy: (now) => deleteStaleTemporaryFiles(tmp, now),

    async check() {
      await withTemporary((path) => writeStream(new Blob(['check']).stream(), path));
    },
  };
}

/**
 * The same objects for one who only looks: makes, changes and removes nothing. `leftovers` are
 * the temporary files that processes left behind which no longer live.
 */
export function openDiskForReading({ root }: { root: string }) {
  const leftovers = (now: number) => findStaleTemporaryFiles(placesOf(root).tmp, now);
  return { ...reading(root), leftovers };
}

function placesOf(root: string) {
  const objects = join(root, 'objects');
  return {
    objects,
    tmp: join(root, 'tmp'),
    pathOf: (key: string) => join(objects, checkKey(key)),
    folderOf: (prefix: string) => join(objects, checkPrefix(prefix)),
  };
}

function reading(root: string): Pick<ObjectStore, 'open' | 'list'> {
  const { objects, pathOf, folderOf } = placesOf(root);
  return {
    async open(key) {
      const path = pathOf(key);
      const found = await unlessMissing(stat(path));
      if (!found?.isFile()) return null;
      return {
        size: found.size,
        modifiedAt: Math.floor(found.mtimeMs),
        body: (range) => (range ? Bun.file(path).slice(range.start, range.end) : Bun.file(path)),
        hash: () => contentHash(path),
      };
    },

    list: (prefix) => walkFiles(prefix ? folderOf(prefix) : objects, prefix),
  };
}

/**
 * Puts a complete file in its place; the rename is what makes it visible. Folders above it
 * may be pruned at any moment, also between being made and being used.
 */
async function publish(path: string, target: string) {
  const folder = dirname(target);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rename(path, target);
      break;
    } catch (error) {
      if (!isSystemError(error, 'ENOENT') || attempt === ATTEMPTS) throw error;
      await unlessMissing(makeFolder(folder));
    }
  }
  try {
    // Missing means that somebody has already deleted the object again.
    await unlessMissing(syncFolder(folder));
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  }
}

/** Brings a local file onto the disk. Refuses a link: a decoder that was taken over could point it anywhere. */
async function syncFile(path: string) {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new Error(`Not a file: ${path}`);
    await handle.chmod(0o600);
    await handle.sync();
    return found.size;
  } finally {
    await handle.close();
  }
}

/** Removes empty folders from `folder` up to `top`, which stays, and makes the removals last. */
async function prune(folder: string, top: string) {
  let current = folder;
  while (current !== top) {
    try {
      await rmdir(current);
    } catch (error) {
      if (isSystemError(error, 'ENOTEMPTY', 'EEXIST')) break;
      if (!isSystemError(error, ...MISSING)) throw error;
    }
    current = dirname(current);
  }
  await unlessMissing(syncFolder(current));
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (isSystemError(error, ...MISSING)) return null;
    throw error;
  }
}
