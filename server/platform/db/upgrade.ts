import { Database as SqliteFile } from 'bun:sqlite';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Migration } from 'kysely/migration';
import { makeFolder, syncFolder } from '../durable.ts';
import { migrate, schemaOf } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import type { Database } from './port.ts';

const KEPT = 3;
const NAME = /^wharf-.*\.db$/;
const UNFINISHED = '.part';

/** No copy of the database could be made, so nothing was changed. */
export class NoBackup extends Error {
  override name = 'NoBackup';
}

/**
 * Brings a database up to date. A SQLite file that something is in is copied into `folder` before, of
 * whose copies the last few stay. Returns the copy's path; null where none was needed.
 * Throws NoBackup, NewerDatabase, or what a migration failed with: then none of it has happened.
 */
export async function upgrade(
  database: Database,
  sqlite: { path: string; folder: string } | null,
  known: Record<string, Migration> = migrations,
): Promise<string | null> {
  const { ran, pending } = await schemaOf(database, known);
  const last = ran.at(-1);
  const copy = sqlite && last && pending.length > 0 ? await keepCopy(sqlite, last) : null;
  await migrate(database, known);
  return copy;
}

async function keepCopy({ path, folder }: { path: string; folder: string }, version: string) {
  const stamp = new Date().toISOString().replace(/[-:]/g, '').replace(/\..*/, '');
  const target = join(folder, `wharf-${stamp}-${version}.db`);
  try {
    await makeFolder(folder);
    for (const name of await readdir(folder)) {
      if (name.endsWith(UNFINISHED)) await rm(join(folder, name));
    }
    await snapshotSqlite(path, target + UNFINISHED);
    await rename(target + UNFINISHED, target);
    await syncFolder(folder);
    const old = (await readdir(folder)).filter((name) => NAME.test(name)).sort();
    for (const name of old.slice(0, -KEPT)) await rm(join(folder, name));
    return target;
  } catch (error) {
    throw new NoBackup(
      `The database needs a migration but can't be backed up first: ${(error as Error).message}. Nothing was changed.`,
    );
  }
}

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
    const file = new SqliteFile(path, { readonly: true });
    try {
      file.run('pragma busy_timeout = 5000');
      file.run('vacuum into ?', [target]);
    } finally {
      file.close();
    }
    if (forget) {
      const copy = new SqliteFile(target);
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
