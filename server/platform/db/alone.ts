import { Database } from 'bun:sqlite';

/**
 * Holds a data folder for this process alone, by a lock of the operating system's, which ends
 * with the process however it ends. Returns what lets go; null where another process holds it.
 */
export function holdAlone(path: string): (() => void) | null {
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
