import { closeSync, fsync, openSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

/*
 * fsync(2): "Calling fsync() does not necessarily ensure that the entry in the directory
 * containing the file has also reached disk. For that an explicit fsync() on a file
 * descriptor for the directory is also needed."
 */

const sync = promisify(fsync);

/** Makes creations, renames and removals in a folder survive a power cut. */
export const syncFolder = (path: string): Promise<void> => syncWritten(path);

/** Makes what was just written at a path survive a power cut. */
export async function syncWritten(path: string): Promise<void> {
  // The kernel still has it in memory, so that opening it waits for no disk, and takes less than the way to a thread.
  const descriptor = openSync(path, 'r');
  try {
    await sync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes a folder and the folders above it, readable by our own user only. New folders survive a power cut. */
export async function makeFolder(path: string): Promise<void> {
  await Promise.all((await createFolders(path)).map(syncFolder));
}

/**
 * Makes a folder and the folders above it, readable by our own user only. Returns the folders that have to be synced for
 * the new ones to survive a power cut.
 */
export async function createFolders(path: string): Promise<string[]> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (!first) return [];
  const changed = [dirname(first)];
  for (let folder = path; folder !== first; ) {
    folder = dirname(folder);
    changed.push(folder);
  }
  return changed;
}
