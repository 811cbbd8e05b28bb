import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Migration } from 'kysely/migration';
import { makeFolder, syncFolder } from '../durable.ts';
import { migrate, schemaOf } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import type { Database } from './port.ts';
import { snapshotSqlite } from './snapshot.ts';

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
