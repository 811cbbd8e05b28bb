import { formatBytes } from '../../contract/units.ts';
import type { AuditSources, Finding } from './finding.ts';
import * as store from './store.ts';

/** Folders asked about at a time: a query each goes through all files. */
const BATCH = 1000;

/** Yields, by folder, the objects that belong to no file, upload or pending delete. */
export async function* findOrphans(sources: AuditSources): AsyncGenerator<Finding> {
  const waiting = new Set<string>();
  for await (const { key } of sources.objects.list('')) {
    waiting.add(folderOf(key));
    if (waiting.size < BATCH) continue;
    yield* orphansOf(sources, [...waiting]);
    waiting.clear();
  }
  yield* orphansOf(sources, [...waiting]);
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

/** Which of these folders lie below no prefix that a row names. */
export async function unknownOf(
  { database }: Pick<AuditSources, 'database'>,
  folders: string[],
): Promise<string[]> {
  const asked = new Set(folders.flatMap(prefixesOf));
  const known = await store.knownPrefixes(database.db, [...asked]);
  return folders.filter((folder) => !prefixesOf(folder).some((prefix) => known.has(prefix)));
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

/** Up to the last '/', that included; '' for a key without. */
export const folderOf = (key: string) => key.slice(0, key.lastIndexOf('/') + 1);

/** 'a/b/' lies below 'a/' and 'a/b/'. */
function prefixesOf(folder: string): string[] {
  const names = folder.split('/').slice(0, -1);
  return names.map((_, index) => `${names.slice(0, index + 1).join('/')}/`);
}
