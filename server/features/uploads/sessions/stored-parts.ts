import { AppError } from '../../../errors.ts';
import { concatenate } from '../../../platform/storage/concatenate.ts';
import type { ObjectStore, SourceObject } from '../../../platform/storage/port.ts';
import { SNIFF_BYTES } from '../parsing/sniff.ts';
import type { UploadPartRow } from '../tables.ts';
import { uploadExpired } from './complete-upload.ts';
import { ContentHasher } from './content-hashes.ts';

/** Throws that the upload has expired where an object of it is missing. */
export function rethrowMissing(error: unknown): never {
  throw error instanceof AppError && error.code === 'not-found' ? uploadExpired() : error;
}

/** Returns the objects that have the bytes of an upload. */
export const sourcesOf = (parts: UploadPartRow[]): SourceObject[] =>
  parts.map(({ object_key, size }) => ({ key: object_key, size }));

/** Returns the first bytes of an upload, which may be in several small parts. Throws gone where one is missing. */
export async function headOf(
  objects: Pick<ObjectStore, 'open'>,
  parts: UploadPartRow[],
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let missing = SNIFF_BYTES;
  for (const part of parts) {
    if (missing <= 0) break;
    const object = await objects.open(part.object_key, { size: part.size });
    if (!object) throw uploadExpired();
    const end = Math.min(missing, object.size);
    const body = new Response(object.body({ start: 0, end }));
    pieces.push(new Uint8Array(await body.arrayBuffer().catch(rethrowMissing)));
    missing -= end;
  }
  return Buffer.concat(pieces);
}

/** Returns what has hashed the bytes of all parts. Throws gone where one is missing. */
export async function hashParts(
  objects: ObjectStore,
  parts: UploadPartRow[],
): Promise<ContentHasher> {
  const hasher = new ContentHasher();
  try {
    for await (const bytes of concatenate(objects, sourcesOf(parts))) hasher.update(bytes);
  } catch (error) {
    rethrowMissing(error);
  }
  return hasher;
}
