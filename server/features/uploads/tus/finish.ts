import { UPLOAD_TTL_MS } from '../../../contract/limits.ts';
import type { MediaType } from '../../../contract/wire.ts';
import { gone } from '../../../errors.ts';
import type { ObjectStore } from '../../../platform/storage/port.ts';
import type { Buckets } from '../../buckets/service.ts';
import type { Files } from '../../files/service.ts';
import type { Caller } from '../../tokens/guard.ts';
import { whileKeptConnected } from '../receiving.ts';
import { completeUpload, requireFreePath } from '../sessions/complete-upload.ts';
import type { ContentHasher } from '../sessions/content-hashes.ts';
import type { UploadDeps } from '../sessions/create-upload.ts';
import { parseMetadata } from '../sessions/description.ts';
import { discardIfRefused } from '../sessions/discard-upload.ts';
import { finishPlain } from '../sessions/finish-plain.ts';
import { listParts } from '../sessions/parts-store.ts';
import { rethrowMissing, sourcesOf } from '../sessions/stored-parts.ts';
import type { UploadPartRow, UploadSessionRow } from '../tables.ts';
import { type CheckDeps, checkUpload } from './check.ts';
import { currentRequest } from './request-headers.ts';

export type FinishDeps = CheckDeps &
  UploadDeps & { objects: ObjectStore; buckets: Buckets; files: Files };

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
  const about = parseMetadata(JSON.parse(upload.metadata));
  await requireFreePath(deps.files, upload.bucket_id, about, type);
  const parts = await listParts(deps.database.db, upload.id);
  const finishing = {
    expiresAt: deps.clock() + UPLOAD_TTL_MS,
    onFinished: () => FINISHED,
  };
  const { caller } = currentRequest();
  const owner = { bucket, principal: caller.principal };
  const finish = () =>
    type === 'file'
      ? finishPlain(deps, upload, owner, { parts, contentType, hasher }, finishing)
      : finishMedia(deps, upload, owner, { parts, type }, finishing);
  try {
    // A large file takes long to be joined, and its client hears nothing meanwhile.
    await whileKeptConnected(caller, () => discardIfRefused(deps, upload, finish));
  } catch (error) {
    if (error !== FINISHED) throw error;
  }
}

async function finishMedia(
  deps: FinishDeps,
  upload: UploadSessionRow,
  owner: Pick<Caller, 'bucket' | 'principal'>,
  { parts, type }: { parts: UploadPartRow[]; type: MediaType },
  finishing: Parameters<typeof completeUpload>[4],
): Promise<void> {
  const { objects, files } = deps;
  const content =
    type === 'image'
      ? { type, key: await joined(objects, upload.prefix, parts) }
      : { type, keys: parts.map((part) => part.object_key) };
  const stored = { size: upload.received, ...content };
  const completed = completeUpload(deps, upload, owner, stored, finishing);
  const file = await files.fromUpload(completed.complete, [completed.completion]);
  files.announceCreated(file, owner.bucket);
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
