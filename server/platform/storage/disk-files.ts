import { constants } from 'node:fs';
import { open, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { storageFull } from '../../errors.ts';
import {
  createFoldersBelow,
  folderIsDurable,
  folderIsRemoved,
  syncFolder,
  syncWritten,
} from '../durable-folders.ts';
import { readFolder } from '../folders/read-folder.ts';
import { isSystemError } from '../system-error.ts';
import { isSegment } from './keys.ts';
import { findSlice } from './slots/slice.ts';
import { temporaryPath } from './temporary-files.ts';

export const MISSING = ['ENOENT', 'ENOTDIR'];
const MAX_ATTEMPTS = 20;

/** Calls `use` with an unused path in `tmp`, and removes what is there afterwards. Throws storage-full. */
export function withTemporary<T>(tmp: string, use: (path: string) => Promise<T>): Promise<T> {
  return withMovedTemporary(tmp, async (path) => {
    const result = await use(path);
    await remove(path);
    return result;
  });
}

/** Does the same where `use` leaves nothing there unless it fails, because it moves the file away. */
export async function withMovedTemporary<T>(
  tmp: string,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const path = temporaryPath(tmp);
  try {
    return await use(path);
  } catch (error) {
    await remove(path);
    throw isSystemError(error, 'ENOSPC', 'EDQUOT') ? storageFull() : error;
  }
}

const remove = (path: string) => rm(path, { recursive: true, force: true });

/**
 * Puts a complete file in its place below `top`; the rename makes it visible. Another process may prune the folders
 * above at any moment, even right after they were made, so the rename is repeated.
 * @param options.prepare makes what must be in the folder before
 * @param options.isDurable whether the file itself would survive a power cut by now. Else it does once this resolves
 */
export async function publish(
  path: string,
  target: string,
  top: string,
  { prepare, isDurable = true }: { prepare?: () => Promise<void>; isDurable?: boolean } = {},
) {
  const folder = dirname(target);
  const changed = new Set([folder]);
  let isSynced = isDurable;
  for (let attempt = 1; ; attempt += 1) {
    // Most objects are the first of their folder.
    const made = await unlessMissing(createFoldersBelow(top, folder));
    for (const one of made?.unsynced ?? []) changed.add(one);
    // In a folder that was there may be an object which the file replaces, and one of the two must survive.
    if (!isSynced && !made?.isNew) {
      await syncWritten(path);
      isSynced = true;
    }
    try {
      await prepare?.();
      await rename(path, target);
      break;
    } catch (error) {
      if (!isSystemError(error, 'ENOENT') || attempt === MAX_ATTEMPTS) throw error;
    }
  }
  try {
    const unsynced = isSynced ? [] : [unlessMissing(syncWritten(target))];
    // A missing folder means that another call has already deleted the object again. What is synced at the same time
    // shares a commit of the file system's journal.
    const syncs = [...changed].map((one) => unlessMissing(syncFolder(one)));
    await Promise.all([...unsynced, ...syncs]);
    folderIsDurable(top, folder);
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  }
}

/**
 * Makes a local file durable and returns its size. Throws for a symbolic link, which a compromised
 * decoder could point anywhere.
 */
export async function syncFile(path: string) {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const file = await handle.stat();
    if (!file.isFile()) throw new Error(`Not a file: ${path}`);
    await handle.chmod(0o600);
    await handle.sync();
    return file.size;
  } finally {
    await handle.close();
  }
}

/** Removes empty folders from `folder` up to `top`, which stays, and makes the removals durable. */
export async function prune(folder: string, top: string) {
  let current = folder;
  while (current !== top) {
    folderIsRemoved(current);
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

/** Awaits `work`; returns null where what it looks for is missing. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (isSystemError(error, ...MISSING)) return null;
    throw error;
  }
}

/**
 * Yields the objects below a folder one at a time and in no order, with keys that start with `prefix`. It
 * skips files that are removed meanwhile, and those that the store can't have put there ('.nfs…').
 */
export async function* walkFiles(
  folder: string,
  prefix: string,
): AsyncGenerator<{ key: string; size: number }> {
  for await (const { name, isFolder } of readFolder(folder)) {
    if (!isSegment(name)) continue;
    const path = join(folder, name);
    const key = prefix + name;
    if (isFolder) yield* walkFiles(path, `${key}/`);
    else yield* sizeOf(path, key);
  }
}

async function* sizeOf(path: string, key: string) {
  const stats = await unlessMissing(stat(path));
  if (stats?.isFile()) yield { key, size: stats.size };
  const slice = stats ? null : await findSlice(path);
  if (slice) yield { key, size: slice.end - slice.start };
}
