import { IMAGE_MAX_BYTES, UPLOAD_TTL_MS } from '../../../contract/limits.ts';
import { AppError, gone, tooLarge, unsupportedType } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import { scheduleDelete } from '../../../platform/storage/pending-deletes-store.ts';
import type { ObjectStore } from '../../../platform/storage/port.ts';
import type { Buckets } from '../../buckets/service.ts';
import {
  type Files,
  keptName,
  type UploadedImage,
  type UploadedVideo,
} from '../../files/service.ts';
import { looksLikeImage, looksLikeVideo, refusedTypeHint, SNIFF_BYTES } from '../parsing/sniff.ts';
import type { TusPartRow, TusUploadRow } from '../tables.ts';
import { currentRequest, parseMetadata, type UploadMetadata } from './request-headers.ts';
import * as store from './store.ts';

export type FinishDeps = {
  database: Database;
  objects: ObjectStore;
  clock: Clock;
  buckets: Buckets;
  files: Files;
};

/**
 * Returns the type of an upload, by its first bytes. Throws unsupported-type, and too-large for an
 * image, and then the upload is deleted.
 */
export async function checkUpload(
  deps: FinishDeps,
  upload: TusUploadRow,
): Promise<'image' | 'video'> {
  const { database, objects } = deps;
  const head = await headOf(objects, await store.listParts(database.db, upload.id));
  const kind = (await looksLikeImage(head))
    ? 'image'
    : (await looksLikeVideo(head))
      ? 'video'
      : null;
  const isTooLarge = kind === 'image' && (upload.length ?? upload.received) > IMAGE_MAX_BYTES;
  if (kind && !isTooLarge) return kind;
  await discardUpload(deps, upload);
  throw isTooLarge
    ? tooLarge('Images can be at most 50 MiB.')
    : unsupportedType(`The file isn't a supported image or video.${await refusedTypeHint(head)}`);
}

/**
 * Deletes an upload, and its objects later. Returns false where it is finished, also since it was read:
 * then the objects are those of its file, and everything stays.
 */
export function discardUpload(
  { database, clock }: Pick<FinishDeps, 'database' | 'clock'>,
  { id, prefix }: Pick<TusUploadRow, 'id' | 'prefix'>,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    if (!(await store.deleteUpload(tx, id))) return false;
    await scheduleDelete(tx, prefix, clock());
    return true;
  });
}

/** Another request has finished the upload. */
const FINISHED = new Error('The upload is finished.');

/** Creates the file of a complete upload and its job in one transaction, unless it exists. */
export async function finishUpload(deps: FinishDeps, upload: TusUploadRow): Promise<void> {
  const { database, clock, buckets, files } = deps;
  if (upload.file_id) return;
  const type = await checkUpload(deps, upload);
  const bucket = await buckets.byId(upload.bucket_id);
  if (!bucket) throw gone('The bucket has been deleted.');
  const metadata = parseMetadata(JSON.parse(upload.metadata));
  const name = keptName(metadata.fileName, type);
  const { access } = metadata;
  const content = await contentOf(deps, upload, type, metadata);
  const { prefix, received: size } = upload;
  const fileId = newId(clock());

  const complete = { fileId, bucket, name, size, access, prefix, content, expired };
  const { file, statements } = files.fromUpload(complete);
  const expiresAt = clock() + UPLOAD_TTL_MS;
  try {
    await database.batch([
      store.completion(database.db, upload.id, { fileId, expiresAt }, () => FINISHED),
      ...statements,
    ]);
  } catch (error) {
    if (error !== FINISHED) throw error;
    return;
  }
  files.announceCreated(file, bucket);
}

/** Returns the content of an upload as the job of its file reads it. */
async function contentOf(
  { database, objects }: FinishDeps,
  upload: TusUploadRow,
  type: 'image' | 'video',
  { webp, resolutions, timelinePreview }: UploadMetadata,
): Promise<UploadedImage | UploadedVideo> {
  const parts = await store.listParts(database.db, upload.id);
  if (type === 'image') {
    const key = await joined(objects, upload.prefix, parts);
    return { type, key, webp };
  }
  const keys = parts.map((part) => part.object_key);
  return { type, keys, resolutions, thumbnail: null, timelinePreview };
}

const expired = () => gone('The upload has expired. Start over.');

/** Throws that the upload has expired where an object of it is missing. */
function rethrowMissing(error: unknown): never {
  throw error instanceof AppError && error.code === 'not-found' ? expired() : error;
}

/** Returns the first bytes of an upload, which may be in several small parts. */
async function headOf(objects: ObjectStore, parts: TusPartRow[]): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let missing = SNIFF_BYTES;
  for (const part of parts) {
    if (missing <= 0) break;
    const object = await objects.open(part.object_key, { size: part.size });
    if (!object) throw expired();
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
async function joined(objects: ObjectStore, prefix: string, parts: TusPartRow[]): Promise<string> {
  const [only, ...others] = parts;
  if (only && others.length === 0) return only.object_key;
  const key = `${prefix}original`;
  const sources = parts.map(({ object_key, size }) => ({ key: object_key, size }));
  const { user_id: owner } = currentRequest().caller.bucket;
  await objects.compose(key, sources, { owner }).catch(rethrowMissing);
  return key;
}
