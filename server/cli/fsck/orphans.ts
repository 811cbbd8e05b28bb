import type { AuditSources } from '../../adapters/operator.ts';
import { formatBytes } from '../../contract/units.ts';
import type { Finding } from './finding.ts';
import { openFolders } from './folder-store.ts';
import * as store from './store.ts';

/**
 * A prefix may move from one table to another while all of them are read. It is in its new place when they
 * are read again.
 */
const ROUNDS = 2;

/** Yields the objects that belong to no file, upload or pending delete, a finding for each folder. */
export async function* findOrphans(sources: AuditSources): AsyncGenerator<Finding> {
  for await (const folder of orphanFolders(sources)) {
    const { objects, bytes } = await sizeOf(sources, folder);
    if (objects > 0) yield orphanFinding(folder, { objects, bytes });
  }
}

/** Returns the finding of so many objects in a folder. */
export function orphanFinding(
  folder: string,
  { objects, bytes }: { objects: number; bytes: number },
): Finding {
  const what = objects === 1 ? '1 object' : `${objects} objects`;
  const text = `${what}, ${formatBytes(bytes)}, not referenced by the database`;
  return { kind: 'orphan', subject: folder || '/', text };
}

/**
 * Yields the folders with objects that belong to no file, upload or pending delete. The rows are read after
 * the objects have been listed: an object has a row for as long as it is stored.
 */
export async function* orphanFolders({ database, objects }: AuditSources): AsyncGenerator<string> {
  const folders = openFolders();
  try {
    for await (const { key } of objects.list('')) folders.add(folderOf(key));
    for (let round = 1; round <= ROUNDS && !folders.isEmpty(); round += 1) {
      for await (const prefix of store.allPrefixes(database.db)) folders.removeBelow(prefix);
    }
    for (const { name } of folders.names()) yield name;
  } finally {
    folders.close();
  }
}

async function sizeOf(sources: AuditSources, folder: string) {
  const total = { objects: 0, bytes: 0 };
  for await (const { size } of objectsIn(sources, folder)) {
    total.objects += 1;
    total.bytes += size;
  }
  return total;
}

/** Yields the objects in a folder, without those in the folders below it. */
export async function* objectsIn({ objects }: AuditSources, folder: string) {
  for await (const object of objects.list(folder)) {
    if (folderOf(object.key) === folder) yield object;
  }
}

/** Returns the key up to and including its last '/'; '' for a key without one. */
const folderOf = (key: string) => key.slice(0, key.lastIndexOf('/') + 1);
