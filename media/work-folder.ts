import { Database } from 'bun:sqlite';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const LOCK = '.lock';
/** Collected as garbage a lock would end. */
const held = new Set<Database>();
/** Another has it, or has removed it. */
const NOT_OURS = ['SQLITE_BUSY', 'SQLITE_CANTOPEN'];
/** Each is lost to somebody who clears at that very moment. */
const TRIES = 100;

/** Whether a folder is called as `makeWorkFolder` calls them, and what stands beside it. */
export const isWorkFolder = (name: string): boolean => name.startsWith('job-');

export type WorkFolder = { path: string; remove(): Promise<void> };

/**
 * Makes a private, empty folder for one job below `workDir`. A lock beside it, which ends with this
 * process however it ends, says that it is in use: an id of a process would say so of strangers in
 * other containers, and of whoever has it after the machine's next start. Throws where that can't be.
 */
export async function makeWorkFolder(workDir: string): Promise<WorkFolder> {
  await mkdir(workDir, { recursive: true, mode: 0o700 });
  for (let tries = 0; tries < TRIES; tries += 1) {
    const path = join(workDir, `job-${crypto.randomUUID()}`);
    closeSync(openSync(path + LOCK, 'wx', 0o600));
    const unlock = hold(path);
    // Another process that clears folders has the lock, or has removed the folder before this one took it.
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

/** Removes what killed media processes left below `workDir`; folders that are in use stay. */
export async function clearStaleFolders(workDir: string): Promise<void> {
  for (const path of await workFolders(workDir)) {
    const unlock = holdLeft(path);
    if (!unlock) continue;
    await rm(path, { recursive: true, force: true });
    await rm(path + LOCK, { force: true });
    unlock();
  }
}

/** The paths of the folders that `clearStaleFolders` would remove. */
export async function* staleFolders(workDir: string): AsyncGenerator<string> {
  for (const path of await workFolders(workDir)) {
    const unlock = existsSync(path) && holdLeft(path);
    if (!unlock) continue;
    unlock();
    yield path;
  }
}

/** With what is left of them where only their lock is. */
async function workFolders(workDir: string): Promise<Set<string>> {
  const names = (await readdir(workDir).catch(() => [])).filter(isWorkFolder);
  return new Set(names.map((name) => join(workDir, name.replace(/\.lock$/, ''))));
}

/** Lets go of a folder that nobody else holds; null where somebody does, or may: it can't be told. */
function holdLeft(path: string): (() => void) | null {
  // It is made before the folder, and removed after it.
  if (!existsSync(path + LOCK)) return () => {};
  try {
    return hold(path);
  } catch {
    return null;
  }
}

/** By a lock of the operating system's, as SQLite takes it. Null where another holds or has removed it. */
function hold(path: string): (() => void) | null {
  let lock: Database | undefined;
  try {
    lock = new Database(path + LOCK, { create: false, readwrite: true });
    lock.run('pragma busy_timeout = 0');
    lock.run('pragma journal_mode = memory');
    lock.run('pragma locking_mode = exclusive');
    lock.run('begin exclusive');
  } catch (error) {
    lock?.close();
    if (NOT_OURS.includes(String((error as { code?: unknown }).code))) return null;
    throw error;
  }
  const mine = lock;
  held.add(mine);
  return () => {
    held.delete(mine);
    mine.close();
  };
}
