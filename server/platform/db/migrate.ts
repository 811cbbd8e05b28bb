import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { makeFolder, syncFolder } from '../durable-folders.ts';
import { INLINE_MARK } from './inline-read.ts';
import { migrations } from './migrations/index.ts';
import type { Database, Executor } from './port.ts';
import { snapshotSqlite } from './sqlite/files.ts';

const TABLE = 'kysely_migration';

const MAX_COPIES = 3;
const COPY_NAME = /^wharf-.*\.db$/;
const PARTIAL = '.part';

/** The database has migrations that this version does not know, so a newer version has migrated it. */
export class NewerDatabaseError extends Error {
  override name = 'NewerDatabaseError';
  constructor(readonly unknown: string[]) {
    super(
      `The database was migrated by a newer version (${unknown.join(', ')}). Run that version again, or restore a backup from before the upgrade.`,
    );
  }
}

/**
 * Brings the schema to the newest version, behind the migrator's lock. Returns the names of the migrations
 * that ran. Throws NewerDatabaseError, or what a migration fails with.
 */
export async function migrate(
  database: Database,
  available: Record<string, Migration> = migrations,
): Promise<string[]> {
  const { pending } = await schemaOf(database, available);
  // The migrator reads the whole schema several times before it finds that it has nothing to do.
  if (pending.length === 0) return [];
  // On SQLite the migrator's own transaction would wait for itself, so it is given an open one.
  if (database.engine === 'sqlite') return database.transaction((tx) => toLatest(tx, available));
  return toLatest(database.db, available);
}

/** Does the same in a transaction of the caller, for a database that nobody else uses. */
export async function toLatest(
  db: Executor,
  available: Record<string, Migration> = migrations,
): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => available } });
  const { error, results } = await migrator.migrateToLatest();
  if (error) throw error;
  return (results ?? []).map((one) => one.migrationName);
}

/**
 * Returns which migrations have run on a database (none on a new one) and which are still to run. Throws
 * NewerDatabaseError.
 */
export async function schemaOf(
  database: Database,
  available: Record<string, Migration> = migrations,
): Promise<{ ran: string[]; pending: string[] }> {
  const ran = (await hasRun(database))
    ? (
        await sql<{
          name: string;
        }>`select name from ${sql.table(TABLE)} order by name ${sql.raw(INLINE_MARK)}`.execute(
          database.db,
        )
      ).rows.map(({ name }) => name)
    : [];
  const unknown = ran.filter((name) => !Object.hasOwn(available, name));
  if (unknown.length > 0) throw new NewerDatabaseError(unknown);
  return { ran, pending: Object.keys(available).filter((name) => !ran.includes(name)) };
}

/** Returns whether a migration has ever run, which has made the migrator's table. */
async function hasRun({ engine, db }: Database): Promise<boolean> {
  const query =
    engine === 'sqlite'
      ? sql`select 1 from sqlite_master where type = 'table' and name = ${TABLE} ${sql.raw(INLINE_MARK)}`
      : sql`select 1 where to_regclass(${TABLE}) is not null`;
  return (await query.execute(db)).rows.length > 0;
}

/** The database could not be backed up before a migration, so nothing was changed. */
export class NoBackupError extends Error {
  override name = 'NoBackupError';
}

/**
 * Brings a database up to date. A SQLite file that is not new is copied into `folder` before a migration,
 * and the last few copies are kept. Of several processes that start at once, one migrates and the others wait
 * for it. Returns the names of the migrations that this one ran, and the path of the copy; null where none was
 * needed. Throws NoBackupError, NewerDatabaseError, or what a migration fails with; then nothing of it has happened.
 */
export async function upgrade(
  database: Database,
  sqlite: { path: string; folder: string } | null,
  available: Record<string, Migration> = migrations,
): Promise<{ migrated: string[]; copy: string | null }> {
  const { ran, pending } = await schemaOf(database, available);
  if (pending.length === 0) return { migrated: [], copy: null };
  const last = ran.at(-1);
  const copy = sqlite && last ? await backUpBeforeMigration(sqlite, last) : null;
  const migrated = await migrate(database, available);
  // PostgreSQL plans by statistics, and has none of what a migration has filled until it analyzes that itself. It
  // may be about to: then nothing waits for it.
  if (database.engine === 'postgres' && last && migrated.length > 0) {
    await sql`analyze (skip_locked)`.execute(database.db);
  }
  return { migrated, copy };
}

async function backUpBeforeMigration(
  { path, folder }: { path: string; folder: string },
  version: string,
) {
  const stamp = new Date().toISOString().replace(/[-:]/g, '').replace(/\..*/, '');
  const target = join(folder, `wharf-${stamp}-${version}.db`);
  try {
    await makeFolder(folder);
    for (const name of await readdir(folder)) {
      if (name.endsWith(PARTIAL)) await rm(join(folder, name));
    }
    await snapshotSqlite(path, target + PARTIAL);
    await rename(target + PARTIAL, target);
    await syncFolder(folder);
    const old = (await readdir(folder)).filter((name) => COPY_NAME.test(name)).sort();
    for (const name of old.slice(0, -MAX_COPIES)) await rm(join(folder, name));
    return target;
  } catch (error) {
    throw new NoBackupError(
      `The database needs a migration but can't be backed up first: ${(error as Error).message}. Nothing was changed.`,
    );
  }
}
