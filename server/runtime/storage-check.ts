import { newestFiles } from '../features/files/store.ts';
import type { Database } from '../platform/db/port.ts';
import type { ObjectStore } from '../platform/storage/port.ts';

const MAX_CHECKED_FILES = 3;
/** Some of the newest files may still be processing, or have failed. */
const NEWEST_FILES = 50;

/**
 * Whether the storage belongs to the database, and is not that of another server or a folder whose disk is
 * not mounted: of the newest files at least one must be there. True where there are no files. Throws what
 * the database or the storage fails with.
 */
export async function storageHoldsFiles(
  database: Pick<Database, 'db'>,
  objects: Pick<ObjectStore, 'head'>,
): Promise<boolean> {
  // A file may be deleted between the query and the check, so the check is repeated once.
  return (await holdsNewest(database, objects)) || (await holdsNewest(database, objects));
}

async function holdsNewest(
  { db }: Pick<Database, 'db'>,
  objects: Pick<ObjectStore, 'head'>,
): Promise<boolean> {
  const newest = await newestFiles(db, NEWEST_FILES);
  const files = newest.filter(({ status }) => status === 'success').slice(0, MAX_CHECKED_FILES);
  for (const { prefix, entry } of files) {
    if (await objects.head(`${prefix}${entry}`)) return true;
  }
  return files.length === 0;
}
