import { Database } from 'bun:sqlite';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const LOCK = '.lock';
/** References to the locks that this process holds. Garbage collection would end a lock. */
const heldLocks = new Set<Database>();
/** Another process holds the lock, or has removed it. */
const LOCK_ERROR_CODES = ['SQLITE_BUSY', 'SQLITE_CANTOPEN'];
/** An attempt only fails when another process clears the folder at the same moment. */
const MAX_ATTEMPTS = 100;

/** Whether a name is one that `makeWorkFolder` gives to folders and their locks. */
export const isWorkFolder = (name: string): boolean => name.startsWith('job-');

export type WorkFolder = { path: string; remove(): Promise<void> };

/**
 * Makes a private, empty folder for one job below `workDir`. A lock beside it marks it as in use and ends
 * with this process, also when it is killed. A process id in the name would be no proof: another container,
 * or another process after a restart, can have the same one. Throws where files can't be locked.
 */
export async function makeWorkFolder(workDir: string): Promise<WorkFolder> {
  await mkdir(workDir, { recursive: true, mode: 0o700 });
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const path = join(workDir, `job-${crypto.randomUUID()}`);
    closeSync(openSync(path + LOCK, 'wx', 0o600));
    const unlock = acquireLock(path);
    // Another process that clears folders holds the lock, or has removed the folder in between.
    if (!unlock) continue;
    if (!existsSync(path + LOCK)) {
      unlock();
      continue;
    }
    const remove = async () => {
      await rm(path, { recursive: true, force: true });
      await rm(path + LOCK, { force: true });
      unlock();
    };
    try {
      await mkdir(path, { mode: 0o700 });
      return { path, remove };
    } catch (error) {
      await remove();
      throw error;
    }
  }
  throw new Error(`Files can't be locked in ${workDir}.`);
}

/** Removes the folders of killed media processes below `workDir`; folders in use stay. */
export async function clearStaleFolders(workDir: string): Promise<void> {
  for (const path of await workFolders(workDir)) {
    const unlock = lockUnused(path);
    if (!unlock) continue;
    await rm(path, { recursive: true, force: true });
    await rm(path + LOCK, { force: true });
    unlock();
  }
}

/** Yields the folders that `clearStaleFolders` would remove. */
export async function* findStaleFolders(workDir: string): AsyncGenerator<string> {
  for (const path of await workFolders(workDir)) {
    const unlock = existsSync(path) && lockUnused(path);
    if (!unlock) continue;
    unlock();
    yield path;
  }
}

/** Returns all work folders, also those of which only the lock is left. */
async function workFolders(workDir: string): Promise<Set<string>> {
  const names = (await readdir(workDir).catch(() => [])).filter(isWorkFolder);
  return new Set(names.map((name) => join(workDir, name.replace(/\.lock$/, ''))));
}

/**
 * Locks a folder that no process uses. Returns the function that unlocks it; null where a process uses it,
 * or may use it.
 */
function lockUnused(path: string): (() => void) | null {
  // The lock is made before its folder and removed after it, so a folder without one is unused.
  if (!existsSync(path + LOCK)) return () => {};
  try {
    return acquireLock(path);
  } catch {
    return null;
  }
}

/**
 * Takes a lock of the operating system through SQLite. Returns null where another process holds or has
 * removed it.
 */
function acquireLock(path: string): (() => void) | null {
  let lock: Database | undefined;
  try {
    lock = new Database(path + LOCK, { create: false, readwrite: true });
    lock.run('pragma busy_timeout = 0');
    lock.run('pragma journal_mode = memory');
    lock.run('pragma locking_mode = exclusive');
    lock.run('begin exclusive');
  } catch (error) {
    lock?.close();
    if (LOCK_ERROR_CODES.includes(String((error as { code?: unknown }).code))) return null;
    throw error;
  }
  const mine = lock;
  heldLocks.add(mine);
  return () => {
    heldLocks.delete(mine);
    mine.close();
  };
}
