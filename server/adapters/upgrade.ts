import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { OperatorError } from '../config/operator-error.ts';
import { NewerDatabase, schemaOf } from '../platform/db/migrate.ts';
import type { Database } from '../platform/db/port.ts';
import { NoBackup, upgrade } from '../platform/db/upgrade.ts';
import type { Log } from '../platform/log.ts';

/** Brings the server's database up to date; answers the names of what ran. Throws OperatorError where it is newer, or can't be copied before. */
export async function bringUpToDate(
  { database: where, dataDir }: Pick<Config, 'database' | 'dataDir'>,
  database: Database,
  log: Log,
): Promise<string[]> {
  const sqlite =
    where.kind === 'sqlite' ? { path: where.path, folder: join(dataDir, 'backups') } : null;
  try {
    const { pending } = await schemaOf(database);
    const copy = await upgrade(database, sqlite);
    if (copy) log.warn({ copy }, 'database backed up and migrated');
    return pending;
  } catch (error) {
    await database.close();
    const isPlain = error instanceof NewerDatabase || error instanceof NoBackup;
    throw isPlain ? new OperatorError(error.message) : error;
  }
}
