import { UPLOAD_TTL_MS } from '../../../contract/limits.ts';
import { isUnavailable } from '../../../errors.ts';
import { runStatements } from '../../../platform/db/batch.ts';
import { newId } from '../../../platform/ids.ts';
import { scheduleDelete } from '../../../platform/storage/pending-deletes-store.ts';
import type { ObjectStore } from '../../../platform/storage/port.ts';
import { actorOf } from '../../access/principal.ts';
import type { Bucket } from '../../buckets/service.ts';
import { type Files, keptName, objectNameOf, originalPrefix } from '../../files/service.ts';
import type { Caller } from '../../tokens/guard.ts';
import { placeOf } from '../parsing/destination.ts';
import type { UploadPartRow, UploadSessionRow } from '../tables.ts';
import { uploadExpired } from './complete-upload.ts';
import type { ContentHasher } from './content-hashes.ts';
import type { UploadDeps } from './create-upload.ts';
import { parseMetadata } from './description.ts';
import * as store from './store.ts';
import { hashParts, rethrowMissing, sourcesOf } from './stored-parts.ts';

type Deps = UploadDeps & { objects: ObjectStore; files: Pick<Files, 'createPlain'> };

type Content = {
  parts: UploadPartRow[];
  contentType: string;
  /** Has hashed all bytes; null where they must be read again for that. */
  hasher: ContentHasher | null;
};

/**
 * Creates the file of a complete upload that is stored as it is, as one object. Throws what `onFinished` returns where
 * the upload has become a file already, and what `Files.createPlain` throws.
 */
export async function finishPlain(
  deps: Deps,
  upload: UploadSessionRow,
  { bucket, principal }: Pick<Caller, 'bucket' | 'principal'>,
  { parts, contentType, hasher }: Content,
  { expiresAt, onFinished }: { expiresAt: number; onFinished: () => unknown },
): Promise<void> {
  const { database, clock, files } = deps;
  const about = parseMetadata(JSON.parse(upload.metadata));
  const { fileName, access, destination, preconditions } = about;
  const { path, name } = placeOf(destination, keptName(fileName, 'file'));
  const fileId = newId(clock());
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  const hashes = (hasher ?? (await hashParts(deps.objects, parts))).digest();
  const stored = await asOneObject(deps, upload, bucket, parts, { fileId, name });
  const isMoved = stored.prefix !== upload.prefix;
  try {
    await files.createPlain({
      ...{ fileId, bucket, name, path, access, contentType, ...hashes, ...stored },
      ...{ size, onConflict: destination.onConflict, expired: uploadExpired },
      preconditions,
      actor: actorOf(principal),
      async onCreate(tx) {
        const completion = { fileId, expiresAt };
        await runStatements(tx, [store.completion(tx, upload.id, completion, onFinished)]);
        // The reservation ends with it: the file counts from now on.
        if (isMoved) await scheduleDelete(tx, upload.prefix, clock());
      },
    });
  } catch (error) {
    // With the database unavailable, the file may exist nevertheless: the pending delete then decides.
    if (isMoved && !isUnavailable(error)) {
      await scheduleDelete(database.db, stored.prefix, clock());
    }
    throw error;
  }
}

/**
 * Returns the object that has all bytes: the only part where it is, or a new one, whose deletion is pending. Throws
 * gone where a part is missing.
 */
async function asOneObject(
  { database, objects, clock, regionRouter }: Deps,
  upload: UploadSessionRow,
  bucket: Bucket,
  parts: UploadPartRow[],
  { fileId, name }: { fileId: string; name: string },
): Promise<{ prefix: string; key: string }> {
  const [only, ...others] = parts;
  if (only && others.length === 0) return { prefix: upload.prefix, key: only.object_key };
  const prefix = originalPrefix(regionRouter(bucket.region).root, bucket.id, fileId);
  const key = prefix + objectNameOf(name);
  await scheduleDelete(database.db, prefix, clock() + UPLOAD_TTL_MS);
  const owner = bucket.user_id;
  if (only) await objects.compose(key, sourcesOf(parts), { owner }).catch(rethrowMissing);
  else await objects.put(key, emptyBody(), { owner });
  return { prefix, key };
}

const emptyBody = () => new ReadableStream<Uint8Array>({ start: (stream) => stream.close() });
