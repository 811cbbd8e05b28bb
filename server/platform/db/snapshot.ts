import { Database } from 'bun:sqlite';
import { open, rm } from 'node:fs/promises';

/**
 * Writes a SQLite file as it is at this moment into the new file `target`, which is on the disk
 * afterwards; others may write meanwhile. `forget` is a table whose rows it goes without. Throws,
 * and leaves no target, when it can't.
 */
export async function snapshotSqlite(
  path: string,
  target: string,
  { forget }: { forget?: 'deletion_pauses' } = {},
): Promise<void> {
  // Made first, and empty: SQLite would make it for everybody to read.
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
