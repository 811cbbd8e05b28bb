import { isUnavailable } from '../../../errors.ts';
import { newId } from '../../../platform/ids.ts';
import { scheduleDelete } from '../../../platform/storage/pending-deletes-store.ts';
import type { ObjectStore, SourceObject } from '../../../platform/storage/port.ts';
import { type Bucket, sizeRefusal } from '../../buckets/service.ts';
import { originalPrefix } from '../../files/service.ts';
import { FORM_TIMEOUT_MS, MAX_OVERHEAD_BYTES } from '../parsing/multipart.ts';
import { checkedBody } from '../sessions/checked-body.ts';
import { reserveUpload, type UploadDeps } from '../sessions/create-upload.ts';
import { FIRST_RESERVATION_BYTES, reservedBody } from '../sessions/reserve-arriving.ts';

export type OriginalDeps = UploadDeps & { objects: ObjectStore };

/** The bytes of a form's file, which are stored as one object. */
export type Original = { fileId: string; prefix: string; key: string; size: number };

/**
 * Stores the file of a form, whose bytes are reserved before they arrive.
 * @param options.length the bytes of the form; null where the client does not say
 * @param options.objectName the last part of the object's key
 * @param open returns the bytes, once they are reserved below a prefix
 */
export function storeOriginal(
  deps: OriginalDeps,
  bucket: Bucket,
  { length, maxBytes, objectName }: { length: number | null; maxBytes: number; objectName: string },
  open: (prefix: string) => ReadableStream<Uint8Array>,
): Promise<Original> {
  const { objects, buckets } = deps;
  const bytes = Math.min(length ?? FIRST_RESERVATION_BYTES, maxBytes);
  const leastBytes = Math.max(0, (length ?? 0) - MAX_OVERHEAD_BYTES);
  return storeObject(deps, bucket, { objectName, bytes, leastBytes }, (prefix, key) => {
    const accepted = length === null ? acceptedBody(bucket, open(prefix)) : open(prefix);
    const body = reservedBody(buckets.quotas, prefix, accepted, { length, reserved: bytes });
    return objects.put(key, body, { maxBytes, owner: bucket.user_id });
  });
}

/**
 * Passes on a body of unknown length, and fails where its bucket has no room for more of it. The commit decides, as others
 * upload at the same time, but would do so after all bytes were stored.
 */
const acceptedBody = (bucket: Bucket, body: ReadableStream<Uint8Array>) =>
  checkedBody(body, (arrived) => {
    const refusal = sizeRefusal(bucket, arrived);
    if (refusal) throw refusal;
  });

/**
 * Stores the bytes of another object as those of a new file, as `storeOriginal` does.
 * @param objectName the last part of the new object's key
 */
export function copyOriginal(
  deps: OriginalDeps,
  bucket: Bucket,
  objectName: string,
  source: SourceObject,
): Promise<Original> {
  const { size: bytes } = source;
  return storeObject(deps, bucket, { objectName, bytes, leastBytes: bytes }, (_, key) =>
    deps.objects.copy(key, source, { owner: bucket.user_id }),
  );
}

/** Reserves the bytes of an object of a new file below a prefix of its own, and stores it, or discards what was stored. */
async function storeObject(
  deps: OriginalDeps,
  bucket: Bucket,
  { objectName, ...reserved }: { objectName: string; bytes: number; leastBytes: number },
  put: (prefix: string, key: string) => Promise<{ size: number }>,
): Promise<Original> {
  const { clock, regionRouter } = deps;
  const fileId = newId(clock());
  const prefix = originalPrefix(regionRouter(bucket.region).root, bucket.id, fileId);
  const key = prefix + objectName;
  await reserveUpload(deps, bucket, { ...reserved, prefix, deleteAt: clock() + FORM_TIMEOUT_MS });
  try {
    const { size } = await put(prefix, key);
    return { fileId, prefix, key, size };
  } catch (error) {
    await discardOriginal(deps, prefix);
    throw error;
  }
}

/** Makes the pending delete due, and ends the reservation. */
export const discardOriginal = (
  { database, clock }: Pick<OriginalDeps, 'database' | 'clock'>,
  prefix: string,
): Promise<void> => scheduleDelete(database.db, prefix, clock());

/** Discards what a failed request has stored, unless its file may exist nevertheless. */
export async function discardFailed(
  deps: OriginalDeps,
  stored: Original[],
  error: unknown,
): Promise<void> {
  // With the database unavailable, the pending delete decides.
  if (isUnavailable(error)) return;
  for (const { prefix } of stored) await discardOriginal(deps, prefix);
}
