import { Database } from 'bun:sqlite';
import { open, rm } from 'node:fs/promises';

/*
 * SQLite files as files, without Kysely: a lock that ends with its process, and a copy of a database that
 * is in use.
 */

/**
 * Locks a file, which is created when missing, for this process alone. The operating system ends the lock
 * with the process, also when it is killed. Returns the function that unlocks it; null where another
 * process holds it.
 */
export function lockFile(path: string): (() => void) | null {
  const lock = new Database(path, { create: true });
  try {
    lock.run('pragma busy_timeout = 0');
    lock.run('pragma locking_mode = exclusive');
    lock.run('begin exclusive');
    return () => lock.close();
  } catch (error) {
    lock.close();
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return null;
    throw error;
  }
}

/**
 * Writes a SQLite database as it is at this moment into the new file `target`, durably; other processes
 * may write to the database meanwhile. The rows of the table `forget` are left out. Throws, and leaves no
 * target, when it fails.
 */
export async function snapshotSqlite(
  path: string,
  target: string,
  { forget }: { forget?: 'deletion_pauses' } = {},
): Promise<void> {
  // The file is created first, and empty: SQLite would make it readable by everybody.
  const handle = await open(target, 'wx', 0o600);
  try {
    const file = new Database(path, { readonly: true });
    try {
      file.run('pragma busy_timeout = 5000');
      file.run('vacuum into ?', [target]);
    } finally {
      file.close();
    }
    if (forget) {
      const copy = new Database(target);
      try {
        copy.run(`delete from ${forget}`);
      } finally {
        copy.close();
      }
    }
    await handle.sync();
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}
