import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findStaleFolders } from '../../media/work-folder.ts';
import type { Config } from '../config/config.ts';
import { requireReadable, requireWritable } from '../config/data-dir-access.ts';
import { OperatorError } from '../config/operator-error.ts';
import { NewerDatabaseError, schemaOf, toLatest } from '../platform/db/migrate.ts';
import type { Database, Tx } from '../platform/db/port.ts';
import { snapshotSqlite } from '../platform/db/sqlite/files.ts';
import { openSqlite, openSqliteForReading } from '../platform/db/sqlite/open.ts';
import { openDiskForReading, openDiskStore } from '../platform/storage/disk.ts';
import type { ObjectStore } from '../platform/storage/port.ts';
import { openDatabaseForReading } from './database.ts';
import { openObjectsForReading, reachObjects } from './objects.ts';

/*
 * The composition root of the operator's commands, most of which run beside the server.
 */

/** What is stored of a server, or of a copy of it. */
export type CopySources = {
  database: Database;
  objects: Pick<ObjectStore, 'head' | 'open' | 'list'>;
};

/** Everything that an audit reads. */
export type AuditSources = CopySources & {
  /** Yields unfinished local files whose processes have died. */
  leftovers(): AsyncIterable<string>;
};

export const databaseIn = (folder: string) => join(folder, 'wharf.db');
const objectsIn = (folder: string) => join(folder, 'storage');

/** Opens the objects of a data folder or a backup for writing. Throws where the folder can't be written to. */
export const openObjectsIn = (folder: string): Promise<ObjectStore> =>
  openDiskStore({ root: objectsIn(folder) });

/** Opens the objects of a data folder or a backup for reading. */
export const readObjectsIn = (folder: string) => openDiskForReading({ root: objectsIn(folder) });

/**
 * Writes the SQLite database of a data folder, as it is now, into the new file `target`, and opens that for
 * reading. Pauses of deletions are left out: they would keep a server from deleting anything after the copy
 * is restored.
 */
export async function snapshotDatabase(folder: string, target: string): Promise<Database> {
  await snapshotSqlite(databaseIn(folder), target, { forget: 'deletion_pauses' });
  return openSqliteForReading(target);
}

/** Creates all tables in an empty database, in the transaction of the caller. */
export const createTables = async (tx: Tx): Promise<void> => {
  await toLatest(tx);
};

/** Opens the database that the server uses. Throws OperatorError where it is missing or has another version. */
export async function openLiveDatabase({
  database: where,
}: Pick<Config, 'database'>): Promise<Database> {
  if (where.kind === 'sqlite') requireWritable(dirname(where.path));
  if (where.kind === 'sqlite' && !existsSync(where.path)) {
    throw new OperatorError(`No database found at ${where.path}. Check DATA_DIR.`);
  }
  const database =
    where.kind === 'sqlite'
      ? openSqlite(where.path)
      : (await import('../platform/db/postgres.ts')).openPostgres(where.sessionUrl);
  try {
    const { pending } = await schemaOf(database);
    if (pending.length === 0) return database;
    throw new OperatorError(
      'The database schema is older than this version. Start the server once to migrate it.',
    );
  } catch (error) {
    await database.close();
    throw error instanceof NewerDatabaseError ? new OperatorError(error.message) : error;
  }
}

/** Opens a copy that no server uses: a backup, or what was just restored from one. */
export function openCopy(folder: string, database = databaseIn(folder)): CopySources {
  return {
    database: openSqliteForReading(database),
    objects: readObjectsIn(folder),
  };
}

export async function openTarget(url: string): Promise<Database> {
  return (await import('../platform/db/postgres.ts')).openPostgres(url, { timeouts: null });
}

/**
 * Returns which migrations have run on a SQLite file and which have not. Throws OperatorError where the
 * file is from a newer version.
 */
export async function schemaIn(path: string): ReturnType<typeof schemaOf> {
  const database = openSqliteForReading(path);
  try {
    return await schemaOf(database);
  } catch (error) {
    throw error instanceof NewerDatabaseError ? new OperatorError(error.message) : error;
  } finally {
    await database.close();
  }
}

/** Opens the rows and objects of a server for reading; the server can be running. */
export async function openForReading({
  dataDir,
  database,
  storage,
}: Pick<Config, 'dataDir' | 'database' | 'storage'>): Promise<AuditSources> {
  if (database.kind === 'sqlite') requireReadable(dataDir);
  await reachObjects(storage);
  const objects = await openObjectsForReading(storage);
  return {
    database: await openDatabaseForReading(database),
    objects,
    async *leftovers() {
      yield* objects.leftovers(Date.now());
      yield* findStaleFolders(join(dataDir, 'work'));
    },
  };
}
