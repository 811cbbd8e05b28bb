import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CopySources } from '../cli/fsck/finding.ts';
import type { Config } from '../config/config.ts';
import { OperatorError } from '../config/operator-error.ts';
import { holdAlone } from '../platform/db/alone.ts';
import { NewerDatabase, schemaOf, toLatest } from '../platform/db/migrate.ts';
import type { Database } from '../platform/db/port.ts';
import { snapshotSqlite } from '../platform/db/snapshot.ts';
import { openSqlite, openSqliteForReading } from '../platform/db/sqlite.ts';
import { openDiskForReading, openDiskStore } from '../platform/storage/disk.ts';

/*
 * The composition root of the operator's commands, which work on a Wharf from outside, most of them
 * beside the server.
 */

export {
  holdAlone,
  openDiskForReading,
  openDiskStore,
  openSqliteForReading,
  snapshotSqlite,
  toLatest,
};

export const databaseIn = (folder: string) => join(folder, 'wharf.db');
export const objectsIn = (folder: string) => join(folder, 'storage');

/** The database that the server works on. Throws OperatorError where it is missing or of another version. */
export async function openLiveDatabase({
  database: where,
}: Pick<Config, 'database'>): Promise<Database> {
  if (where.kind === 'sqlite' && !existsSync(where.path)) {
    throw new OperatorError(`There is no database at ${where.path}. Is DATA_DIR right?`);
  }
  const database =
    where.kind === 'sqlite'
      ? openSqlite(where.path)
      : (await import('../platform/db/postgres.ts')).openPostgres(where.url);
  try {
    const { pending } = await schemaOf(database);
    if (pending.length === 0) return database;
    throw new OperatorError(
      'The database is older than this program. Start the server once: it brings it up to date.',
    );
  } catch (error) {
    await database.close();
    throw error instanceof NewerDatabase ? new OperatorError(error.message) : error;
  }
}

/** A copy that nobody works on: a backup, or what was just restored from one. */
export function openCopy(folder: string, database = databaseIn(folder)): CopySources {
  return {
    database: openSqliteForReading(database),
    objects: openDiskForReading({ root: objectsIn(folder) }),
  };
}

export async function openTarget(url: string): Promise<Database> {
  return (await import('../platform/db/postgres.ts')).openPostgres(url);
}

/** What has run on a SQLite file. Throws OperatorError where that is newer than this program. */
export async function schemaIn(path: string): ReturnType<typeof schemaOf> {
  const database = openSqliteForReading(path);
  try {
    return await schemaOf(database);
  } catch (error) {
    throw error instanceof NewerDatabase ? new OperatorError(error.message) : error;
  } finally {
    await database.close();
  }
}
