import { newestFiles } from '../features/files/store.ts';
import type { Database } from '../platform/db/port.ts';
import type { ObjectStore } from '../platform/storage/port.ts';

const LOOKED_AT = 3;
/** Of which some may still be worked on, or have failed. */
const NEWEST = 50;

/**
 * Whether the storage is the one that the rows tell of, and not that of another server, or a folder
 * whose disk is not mounted: of the newest files at least one is there. True where there is no file.
 * Throws what database or storage fail with.
 */
export async function storageHoldsFiles(
  database: Pick<Database, 'db'>,
  objects: Pick<ObjectStore, 'open'>,
): Promise<boolean> {
  // A file may go between the two looks.
  return (await holdsNewest(database, objects)) || (await holdsNewest(database, objects));
}

async function holdsNewest(
  { db }: Pick<Database, 'db'>,
  objects: Pick<ObjectStore, 'open'>,
): Promise<boolean> {
  const newest = await newestFiles(db, NEWEST);
  const files = newest.filter(({ status }) => status === 'success').slice(0, LOOKED_AT);
  for (const { prefix, entry } of files) {
    if (await objects.open(`${prefix}${entry}`)) return true;
  }
  return files.length === 0;
}
