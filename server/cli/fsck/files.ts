import type { CopySources } from '../../adapters/operator.ts';
import { PARTIAL_PLAYLIST } from '../../contract/media.ts';
import type { Finding } from './finding.ts';
import * as store from './store.ts';

/** Yields missing objects of files, and files whose size differs from that of their objects. */
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
  const findings: Finding[] = [];
  for (const key of keysOf(file)) {
    if (await objects.open(key)) continue;
    findings.push({ kind: 'missing', subject: key, text: `missing object of the file ${file.id}` });
  }
  if (file.status === 'processing') return findings;
  const generatedBytes = file.prefix ? await bytesBelow(sources, file.prefix) : 0;
  const source = file.blob_prefix ? await bytesBelow(sources, file.blob_prefix) : 0;
  findings.push(...(await wrongBlobOf(sources, file, source)));
  // The upload of a failed file counts with its size, as while it was processed.
  if (file.status === 'error' && file.blob_id) return findings;
  let derived = 0;
  for (const { prefix, name } of await store.listTransforms(database.db, file.id)) {
    const object = await objects.open(prefix + name);
    derived += object?.size ?? 0;
    if (object) continue;
    const text = `missing generated image of the file ${file.id}`;
    findings.push({ kind: 'missing', subject: prefix + name, text });
  }
  const stored = generatedBytes + source + derived;
  if (
    stored !== file.stored_bytes &&
    stored - (await leavingBytes(sources, file)) !== file.stored_bytes
  ) {
    const text = `the database has ${file.stored_bytes} bytes for the file, ${stored} are stored`;
    findings.push({ kind: 'total', subject: file.id, text });
  }
  return findings;
}

/**
 * Returns a finding where the uploaded bytes of a file are missing or not as many as they were.
 * @param stored the bytes below the blob's prefix
 */
async function wrongBlobOf(
  { objects }: CopySources,
  { id, blob_id, blob_prefix, blob_key, blob_size }: store.AuditedFile,
  stored: number,
): Promise<Finding[]> {
  if (blob_id === null) return [];
  const missing = (subject: string): Finding[] => [
    { kind: 'missing', subject, text: `missing original of the file ${id}` },
  ];
  if (blob_prefix === null) return missing(blob_id);
  if (blob_key === null) return stored === 0 ? missing(blob_prefix) : [];
  const object = await objects.head(blob_key);
  if (!object) return missing(blob_key);
  if (object.size === blob_size) return [];
  const text = `${object.size} bytes are stored of the original of the file ${id}, the database has ${blob_size}`;
  return [{ kind: 'missing', subject: blob_key, text }];
}

/** Returns the bytes beside the original of a file that the server will delete. */
async function leavingBytes(
  { database, objects }: CopySources,
  { blob_prefix }: store.AuditedFile,
) {
  let bytes = 0;
  if (blob_prefix === null) return bytes;
  for (const key of await store.pendingKeys(database.db, blob_prefix)) {
    bytes += (await objects.open(key))?.size ?? 0;
  }
  return bytes;
}

function keysOf({ prefix, status, entry, poster, previews }: store.AuditedFile): string[] {
  if (!prefix) return [];
  // Until a video is finished there is only its early playlist.
  const first = status === 'processing' ? PARTIAL_PLAYLIST : entry;
  return [first, poster, previews].flatMap((name) => (name ? [prefix + name] : []));
}

async function bytesBelow({ objects }: CopySources, prefix: string): Promise<number> {
  let bytes = 0;
  for await (const { size } of objects.list(prefix)) bytes += size;
  return bytes;
}
