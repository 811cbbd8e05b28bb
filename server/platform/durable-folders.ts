import { closeSync, fsync, open } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { LRUCache } from 'lru-cache';

/*
 * fsync(2): "Calling fsync() does not necessarily ensure that the entry in the directory
 * containing the file has also reached disk. For that an explicit fsync() on a file
 * descriptor for the directory is also needed."
 */

const openFile = promisify(open);
const sync = promisify(fsync);

/** The syncs of folders that are under way by their paths, each with the one that follows it. */
const syncs = new Map<string, { running: Promise<void>; next: Promise<void> | null }>();

/**
 * Makes creations, renames and removals in a folder survive a power cut. Those who ask while another sync of it is under
 * way share the next one: it may have begun before their change.
 */
export function syncFolder(path: string): Promise<void> {
  const current = syncs.get(path);
  if (!current) return startSync(path);
  const start = () => startSync(path);
  if (current.next === null) current.next = current.running.then(start, start);
  return current.next;
}

function startSync(path: string): Promise<void> {
  const running = syncWritten(path);
  const current = { running, next: null };
  syncs.set(path, current);
  const end = () => {
    if (syncs.get(path) === current) syncs.delete(path);
  };
  running.then(end, end);
  return running;
}

/** Makes what was written at a path survive a power cut. */
export async function syncWritten(path: string): Promise<void> {
  // On a network file system opening waits for the server, even for what was just written.
  const descriptor = await openFile(path, 'r');
  try {
    await sync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes a folder and the folders above it, readable by our own user only. New folders survive a power cut. */
export async function makeFolder(path: string): Promise<void> {
  const made = await createFolders(path);
  await Promise.all(made.map((folder) => syncFolder(dirname(folder))));
}

/** Makes a folder and the folders above it, readable by our own user only. Returns those that were not there. */
async function createFolders(path: string): Promise<string[]> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (!first) return [];
  const made = [path];
  for (let folder = path; folder !== first; ) {
    folder = dirname(folder);
    made.push(folder);
  }
  return made;
}

/**
 * The folders of which this process knows that they survive a power cut. Who finds a folder that another call or process
 * has just made may be faster than the sync of that one.
 */
const durable = new LRUCache<string, true>({ max: 4096 });

/**
 * Makes a folder below `top` and the folders between, as `makeFolder` does. Returns whether it was not there, and the folders
 * that have to be synced for it to survive a power cut, also where others have made it; see `folderIsDurable`.
 */
export async function createFoldersBelow(
  top: string,
  path: string,
): Promise<{ isNew: boolean; unsynced: string[] }> {
  const made = await createFolders(path);
  for (const folder of made) durable.delete(folder);
  const unsynced: string[] = [];
  for (let folder = path; folder !== top && !durable.get(folder); ) {
    folder = dirname(folder);
    unsynced.push(folder);
  }
  return { isNew: made.length > 0, unsynced };
}

/** Tells that what `createFoldersBelow` has returned is synced. */
export function folderIsDurable(top: string, path: string): void {
  for (let folder = path; folder !== top; folder = dirname(folder)) durable.set(folder, true);
}

/** Tells that a folder is being removed, and may be made again. */
export const folderIsRemoved = (path: string): unknown => durable.delete(path);
