import { UPLOAD_TTL_MS } from '../../../contract/limits.ts';
import type { MediaType } from '../../../contract/wire.ts';
import { gone } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import type { RegionRouter } from '../../../platform/region-routing.ts';
import type { ObjectStore } from '../../../platform/storage/port.ts';
import type { Bucket, Buckets } from '../../buckets/service.ts';
import type { Files } from '../../files/service.ts';
import { whileKeptConnected } from '../receiving.ts';
import { completeUpload, requireFreePath } from '../sessions/complete-upload.ts';
import type { ContentHasher } from '../sessions/content-hashes.ts';
import { discardRefused } from '../sessions/discard-upload.ts';
import { finishPlain } from '../sessions/finish-plain.ts';
import { listParts } from '../sessions/parts-store.ts';
import { rethrowMissing, sourcesOf } from '../sessions/stored-parts.ts';
import type { UploadPartRow, UploadSessionRow } from '../tables.ts';
import { type CheckDeps, checkUpload } from './check.ts';
import { currentRequest } from './request-headers.ts';

export type FinishDeps = CheckDeps & {
  database: Database;
  objects: ObjectStore;
  clock: Clock;
  buckets: Buckets;
  files: Files;
  regionRouter: RegionRouter;
};

/** Another request has finished the upload. */
const FINISHED = new Error('The upload is finished.');

/**
 * Creates the file of a complete upload in one transaction, with its job where it is processed, unless it exists.
 * @param hasher has hashed all bytes of the upload; null where several requests have sent them
 */
export async function finishUpload(
  deps: FinishDeps,
  upload: UploadSessionRow,
  hasher: ContentHasher | null,
): Promise<void> {
  if (upload.file_id) return;
  const { type, contentType } = await checkUpload(deps, upload);
  const bucket = await deps.buckets.byId(upload.bucket_id);
  if (!bucket) throw gone('The bucket has been deleted.');
  await requireFreePath(deps.files, upload, type);
  const parts = await listParts(deps.database.db, upload.id);
  const finishing = {
    expiresAt: deps.clock() + UPLOAD_TTL_MS,
    onFinished: () => FINISHED,
  };
  const { principal } = currentRequest().caller;
  try {
    // A large file takes long to be joined, and its client hears nothing meanwhile.
    await whileKeptConnected(currentRequest().caller, () =>
      type === 'file'
        ? finishPlain(
            deps,
            upload,
            { bucket, principal },
            { parts, contentType, hasher },
            finishing,
          )
        : finishMedia(deps, upload, bucket, { parts, type }, finishing),
    );
  } catch (error) {
    if (error === FINISHED) return;
    await discardRefused(deps, upload, error);
    throw error;
  }
}

async function finishMedia(
  deps: FinishDeps,
  upload: UploadSessionRow,
  bucket: Bucket,
  { parts, type }: { parts: UploadPartRow[]; type: MediaType },
  finishing: Parameters<typeof completeUpload>[4],
): Promise<void> {
  const { objects, files } = deps;
  const content =
    type === 'image'
      ? { type, key: await joined(objects, upload.prefix, parts) }
      : { type, keys: parts.map((part) => part.object_key) };
  const stored = { size: upload.received, ...content };
  const { principal } = currentRequest().caller;
  const completed = completeUpload(deps, upload, { bucket, principal }, stored, finishing);
  const file = await files.fromUpload(completed.complete, [completed.completion]);
  files.announceCreated(file, bucket);
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
  const { user_id: owner } = currentRequest().caller.bucket;
  await objects.compose(key, sourcesOf(parts), { owner }).catch(rethrowMissing);
  return key;
}
