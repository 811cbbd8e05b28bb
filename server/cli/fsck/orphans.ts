import { formatBytes } from '../../contract/units.ts';
import type { AuditSources, Finding } from './finding.ts';
import { openFolders } from './folder-store.ts';
import * as store from './store.ts';

/**
 * A prefix may move from one table to another while all of them are read. It is in its new place when they
 * are read again.
 */
const ROUNDS = 2;

/**
 * Yields the objects that belong to no file, upload or pending delete, folder by folder. The rows are read
 * after the objects have been listed: an object has a row for as long as it is stored.
 */
export async function* findOrphans(sources: AuditSources): AsyncGenerator<Finding> {
  const { database, objects } = sources;
  const folders = openFolders();
  try {
    for await (const { key } of objects.list('')) folders.add(folderOf(key));
    for (let round = 1; round <= ROUNDS && !folders.isEmpty(); round += 1) {
      for await (const prefix of store.allPrefixes(database.db)) folders.removeBelow(prefix);
    }
    for (const { name } of folders.names()) {
      const { objects, bytes } = await sizeOf(sources, name);
      if (objects === 0) continue;
      const what = objects === 1 ? '1 object' : `${objects} objects`;
      const text = `${what}, ${formatBytes(bytes)}, not referenced by the database`;
      yield { kind: 'orphan', subject: name || '/', text };
    }
  } finally {
    folders.close();
  }
}

async function sizeOf({ objects }: AuditSources, folder: string) {
  const total = { objects: 0, bytes: 0 };
  for await (const { key, size } of objects.list(folder)) {
    if (folderOf(key) !== folder) continue;
    total.objects += 1;
    total.bytes += size;
  }
  return total;
}

/** Returns the key up to and including its last '/'; '' for a key without one. */
const folderOf = (key: string) => key.slice(0, key.lastIndexOf('/') + 1);
