import { formatBytes } from '../../contract/units.ts';
import type { AuditSources, Finding } from './finding.ts';
import * as store from './store.ts';

/** Folders per query, because each query goes through all files. */
const BATCH_SIZE = 1000;

/** Yields the objects that belong to no file, upload or pending delete, folder by folder. */
export async function* findOrphans(sources: AuditSources): AsyncGenerator<Finding> {
  const folders = new Set<string>();
  for await (const { key } of sources.objects.list('')) {
    folders.add(folderOf(key));
    if (folders.size < BATCH_SIZE) continue;
    yield* orphansOf(sources, [...folders]);
    folders.clear();
  }
  yield* orphansOf(sources, [...folders]);
}

async function* orphansOf(sources: AuditSources, folders: string[]): AsyncGenerator<Finding> {
  for (const folder of await unknownOf(sources, folders)) {
    const { objects, bytes } = await sizeOf(sources, folder);
    if (objects === 0 || (await unknownOf(sources, [folder])).length === 0) continue;
    const what = objects === 1 ? '1 object' : `${objects} objects`;
    yield {
      kind: 'orphan',
      subject: folder || '/',
      text: `${what}, ${formatBytes(bytes)}, not referenced by the database`,
    };
  }
}

/** Returns those of the folders that are below no prefix of a row. */
export async function unknownOf(
  { database }: Pick<AuditSources, 'database'>,
  folders: string[],
): Promise<string[]> {
  const prefixes = new Set(folders.flatMap(prefixesOf));
  const referencedPrefixes = await store.knownPrefixes(database.db, [...prefixes]);
  return folders.filter(
    (folder) => !prefixesOf(folder).some((prefix) => referencedPrefixes.has(prefix)),
  );
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
export const folderOf = (key: string) => key.slice(0, key.lastIndexOf('/') + 1);

/** Returns the prefixes above a folder: 'a/b/' is below 'a/' and 'a/b/'. */
function prefixesOf(folder: string): string[] {
  const names = folder.split('/').slice(0, -1);
  return names.map((_, index) => `${names.slice(0, index + 1).join('/')}/`);
}
