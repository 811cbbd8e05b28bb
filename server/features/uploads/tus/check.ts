import type { MediaType } from '../../../contract/wire.ts';
import { type AppError, tooLarge } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import type { ObjectStore } from '../../../platform/storage/port.ts';
import { requireAllowedType } from '../../buckets/service.ts';
import {
  CLAIMS_MEDIA,
  type IdentifiedUpload,
  identifyUpload,
  type SizeLimits,
  serverLimitOf,
} from '../parsing/identify.ts';
import { parseMetadata } from '../sessions/description.ts';
import { discardUpload } from '../sessions/discard-upload.ts';
import { listParts } from '../sessions/parts-store.ts';
import { headOf } from '../sessions/stored-parts.ts';
import type { UploadSessionRow } from '../tables.ts';
import { currentRequest } from './request-headers.ts';

export type CheckDeps = SizeLimits & {
  database: Database;
  objects: Pick<ObjectStore, 'open'>;
  clock: Clock;
};

/**
 * Returns what an upload is, by its first bytes. Throws unsupported-type, type-refused and too-large, and then the
 * upload is deleted.
 */
export async function checkUpload(
  deps: CheckDeps,
  upload: UploadSessionRow,
): Promise<IdentifiedUpload> {
  const { database, objects } = deps;
  const head = await headOf(objects, await listParts(database.db, upload.id));
  try {
    const about = parseMetadata(JSON.parse(upload.metadata));
    const identified = await identifyUpload(about, head, upload.bucket_id);
    const refusal = sizeRefusal(deps, identified.type, upload.length ?? upload.received);
    if (refusal) throw refusal;
    requireAllowedType(currentRequest().caller.bucket, identified.contentType);
    return identified;
  } catch (error) {
    await discardUpload(deps, upload);
    throw error;
  }
}

/** Throws too-large where an upload is larger than the server accepts of the media type that its client claims. */
export function requireClaimedSize(
  limits: SizeLimits,
  fileType: string | undefined,
  bytes: number,
): void {
  const type = CLAIMS_MEDIA.exec(fileType ?? '')?.[1] as MediaType | undefined;
  const refusal = type && sizeRefusal(limits, type, bytes);
  if (refusal) throw refusal;
}

/** Returns the error for an upload that is larger than the server accepts of its type; null where it is not. */
function sizeRefusal(
  limits: SizeLimits,
  type: IdentifiedUpload['type'],
  bytes: number,
): AppError | null {
  const { maxBytes, tooLarge: text } = serverLimitOf(limits, type);
  return bytes > maxBytes ? tooLarge(text) : null;
}
