import { IMAGE_MAX_BYTES, UPLOAD_TTL_MS } from '../../../contract/limits.ts';
import { AppError, gone, tooLarge } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import type { ObjectStore } from '../../../platform/storage/port.ts';
import { type Buckets, requireAllowedType } from '../../buckets/service.ts';
import type { Files } from '../../files/service.ts';
import { mediaOf, notMedia, SNIFF_BYTES } from '../parsing/sniff.ts';
import { completeUpload, uploadExpired } from '../sessions/complete-upload.ts';
import { discardRefused, discardUpload } from '../sessions/discard-upload.ts';
import { listParts } from '../sessions/parts-store.ts';
import type { UploadPartRow, UploadSessionRow } from '../tables.ts';
import { currentRequest } from './request-headers.ts';

export type FinishDeps = {
  database: Database;
  objects: ObjectStore;
  clock: Clock;
  buckets: Buckets;
  files: Files;
};

/**
 * Returns the type of an upload, by its first bytes. Throws unsupported-type, type-refused, and too-large for an
 * image, and then the upload is deleted.
 */
export async function checkUpload(
  deps: FinishDeps,
  upload: UploadSessionRow,
): Promise<'image' | 'video'> {
  const { database, objects } = deps;
  const head = await headOf(objects, await listParts(database.db, upload.id));
  try {
    const media = await mediaOf(head);
    if (!media) throw await notMedia(head);
    if (media.type === 'image' && (upload.length ?? upload.received) > IMAGE_MAX_BYTES) {
      throw tooLarge('Images can be at most 50 MiB.');
    }
    requireAllowedType(currentRequest().caller.bucket, media.contentType);
    return media.type;
  } catch (error) {
    await discardUpload(deps, upload);
    throw error;
  }
}

/** Another request has finished the upload. */
const FINISHED = new Error('The upload is finished.');

/** Creates the file of a complete upload and its job in one transaction, unless it exists. */
export async function finishUpload(deps: FinishDeps, upload: UploadSessionRow): Promise<void> {
  const { database, objects, clock, buckets, files } = deps;
  if (upload.file_id) return;
  const type = await checkUpload(deps, upload);
  const bucket = await buckets.byId(upload.bucket_id);
  if (!bucket) throw gone('The bucket has been deleted.');
  const parts = await listParts(database.db, upload.id);
  const content =
    type === 'image'
      ? { type, key: await joined(objects, upload.prefix, parts) }
      : { type, keys: parts.map((part) => part.object_key) };
  const stored = { size: upload.received, ...content };
  const { file, statements } = completeUpload(deps, upload, bucket, stored, {
    expiresAt: clock() + UPLOAD_TTL_MS,
    onFinished: () => FINISHED,
  });
  try {
    await database.batch(statements);
  } catch (error) {
    if (error === FINISHED) return;
    await discardRefused(deps, upload, error);
    throw error;
  }
  files.announceCreated(file, bucket);
}

/** Throws that the upload has expired where an object of it is missing. */
function rethrowMissing(error: unknown): never {
  throw error instanceof AppError && error.code === 'not-found' ? uploadExpired() : error;
}

/** Returns the first bytes of an upload, which may be in several small parts. */
async function headOf(objects: ObjectStore, parts: UploadPartRow[]): Promise<Uint8Array> {
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

/**
 * Returns the key of an image as one object: its only part, or a new object with the bytes of all
 * parts.
 */
async function joined(
  objects: ObjectStore,
  prefix: string,
  parts: UploadPartRow[],
): Promise<string> {
  const [only, ...others] = parts;
  if (only && others.length === 0) return only.object_key;
  const key = `${prefix}original`;
  const sources = parts.map(({ object_key, size }) => ({ key: object_key, size }));
  const { user_id: owner } = currentRequest().caller.bucket;
  await objects.compose(key, sources, { owner }).catch(rethrowMissing);
  return key;
}
