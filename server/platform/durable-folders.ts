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
