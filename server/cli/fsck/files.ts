import { EARLY_PLAYLIST } from '../../contract/media.ts';
import type { CopySources, Finding } from './finding.ts';
import * as store from './store.ts';

/** Files that point where nothing is, and files whose stored bytes are not what is there. */
export async function* checkFiles(sources: CopySources): AsyncGenerator<Finding> {
  const { db } = sources.database;
  for await (const row of store.allFiles(db)) {
    const first = await wrongOf(sources, row);
    if (first.length === 0) continue;
    const now = await store.fileById(db, row.id);
    if (now) yield* await wrongOf(sources, now);
  }
}

async function wrongOf(sources: CopySources, file: store.AuditedFile): Promise<Finding[]> {
  const { objects, database } = sources;
  const found: Finding[] = [];
  for (const key of keysOf(file)) {
    if (await objects.open(key)) continue;
    found.push({ kind: 'missing', subject: key, text: `missing object of the file ${file.id}` });
  }
  if (file.status === 'processing') return found;
  const made = file.prefix ? await bytesBelow(sources, file.prefix) : 0;
  const source = file.source_prefix ? await bytesBelow(sources, file.source_prefix) : 0;
  if (file.source_prefix && source === 0) {
    const text = `missing original of the file ${file.id}`;
    found.push({ kind: 'missing', subject: file.source_prefix, text });
  }
  let derived = 0;
  for (const { prefix, name } of await store.derivativesOf(database.db, file.id)) {
    const object = await objects.open(prefix + name);
    derived += object?.size ?? 0;
    if (object) continue;
    const text = `missing generated image of the file ${file.id}`;
    found.push({ kind: 'missing', subject: prefix + name, text });
  }
  const stored = made + source + derived;
  if (stored !== file.stored_bytes) {
    const text = `the database has ${file.stored_bytes} bytes for the file, ${stored} are stored`;
    found.push({ kind: 'total', subject: file.id, text });
  }
  return found;
}

function keysOf({ prefix, status, entry, poster, previews }: store.AuditedFile): string[] {
  if (!prefix) return [];
  // Under its last name the playlist of a video comes with success.
  const first = status === 'processing' ? EARLY_PLAYLIST : entry;
  return [first, poster, previews].flatMap((name) => (name ? [prefix + name] : []));
}

async function bytesBelow({ objects }: CopySources, prefix: string): Promise<number> {
  let bytes = 0;
  for await (const { size } of objects.list(prefix)) bytes += size;
  return bytes;
}
