import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/*
 * fsync(2): "Calling fsync() does not necessarily ensure that the entry in the directory
 * containing the file has also reached disk. For that an explicit fsync() on a file
 * descriptor for the directory is also needed."
 */

/** Makes creations, renames and removals in a folder survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
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
