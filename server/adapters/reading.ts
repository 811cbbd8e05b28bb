import { join } from 'node:path';
import { staleFolders } from '../../media/work-folder.ts';
import type { AuditSources } from '../cli/fsck/finding.ts';
import type { Config } from '../config/config.ts';
import { openDatabaseForReading } from './database.ts';
import { openObjectsForReading, reachObjects } from './objects.ts';

/** Rows and objects for one who only looks; a server may be running on both. */
export async function openForReading({
  dataDir,
  database,
  storage,
}: Pick<Config, 'dataDir' | 'database' | 'storage'>): Promise<AuditSources> {
  await reachObjects(storage);
  const objects = await openObjectsForReading(storage);
  return {
    database: await openDatabaseForReading(database),
    objects,
    async *leftovers() {
      yield* objects.leftovers(Date.now());
      yield* staleFolders(join(dataDir, 'work'));
    },
  };
}
