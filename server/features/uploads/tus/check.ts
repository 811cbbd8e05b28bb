import { IMAGE_MAX_BYTES } from '../../../contract/limits.ts';
import type { MediaType } from '../../../contract/wire.ts';
import { type AppError, tooLarge } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import type { ObjectStore } from '../../../platform/storage/port.ts';
import { requireAllowedType } from '../../buckets/service.ts';
import { keptName } from '../../files/service.ts';
import { placeOf } from '../parsing/destination.ts';
import { mediaOf, plainTypeOf } from '../parsing/sniff.ts';
import { notMedia, requireExactImage, tooLargeOf } from '../parsing/type-errors.ts';
import { parseMetadata } from '../sessions/description.ts';
import { discardUpload } from '../sessions/discard-upload.ts';
import { listParts } from '../sessions/parts-store.ts';
import { headOf } from '../sessions/stored-parts.ts';
import type { UploadSessionRow } from '../tables.ts';
import { currentRequest } from './request-headers.ts';

type Limits = { maxVideoBytes: number; maxFileBytes: number };

export type CheckDeps = Limits & {
  database: Database;
  objects: Pick<ObjectStore, 'open'>;
  clock: Clock;
};

/** What an upload is: an image or a video, which are processed, or a file that is stored as it is. */
export type CheckedUpload = { type: MediaType | 'file'; contentType: string };

/**
 * Returns what an upload is, by its first bytes. Throws unsupported-type, type-refused and too-large, and then the
 * upload is deleted.
 */
export async function checkUpload(
  deps: CheckDeps,
  upload: UploadSessionRow,
): Promise<CheckedUpload> {
  const { database, objects } = deps;
  const head = await headOf(objects, await listParts(database.db, upload.id));
  try {
    const checked = await identify(upload, head);
    const refusal = sizeRefusal(deps, checked.type, upload.length ?? upload.received);
    if (refusal) throw refusal;
    requireAllowedType(currentRequest().caller.bucket, checked.contentType);
    return checked;
  } catch (error) {
    await discardUpload(deps, upload);
    throw error;
  }
}

/** A client that announces an image or a video would be surprised by a file that is neither. */
const CLAIMS_MEDIA = /^(image|video)\//;

async function identify(upload: UploadSessionRow, head: Uint8Array): Promise<CheckedUpload> {
  const media = await mediaOf(head);
  const about = parseMetadata(JSON.parse(upload.metadata));
  const { fileName, fileType, isOptimized } = about;
  if (media?.type === 'image' && !isOptimized) {
    requireExactImage(media.contentType, upload.bucket_id);
  }
  // A video without its sizes is a file like any other.
  if (media && (isOptimized || media.type === 'image')) return media;
  if (!media && fileType && CLAIMS_MEDIA.test(fileType)) throw notMedia();
  const { name } = placeOf(about.destination, keptName(fileName, 'file'));
  return { type: 'file', contentType: await plainTypeOf(name, head) };
}

/** Throws too-large where an upload is larger than the server accepts of the media type that its client claims. */
export function requireClaimedSize(
  limits: Limits,
  fileType: string | undefined,
  bytes: number,
): void {
  const type = CLAIMS_MEDIA.exec(fileType ?? '')?.[1] as MediaType | undefined;
  const refusal = type && sizeRefusal(limits, type, bytes);
  if (refusal) throw refusal;
}

/** Returns the error for an upload that is larger than the server accepts of its type; null where it is not. */
function sizeRefusal(
  { maxVideoBytes, maxFileBytes }: Limits,
  type: CheckedUpload['type'],
  bytes: number,
): AppError | null {
  const maxBytes = { image: IMAGE_MAX_BYTES, video: maxVideoBytes, file: maxFileBytes }[type];
  return bytes > maxBytes ? tooLarge(tooLargeOf(type, maxBytes)) : null;
}
