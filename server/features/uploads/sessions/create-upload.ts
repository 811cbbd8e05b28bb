import { HOUR, UPLOAD_TTL_MS } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Statement } from '../../../platform/db/batch.ts';
import type { Database } from '../../../platform/db/port.ts';
import type { RegionRouter } from '../../../platform/region-routing.ts';
import type { ObjectStore } from '../../../platform/storage/port.ts';
import { type Bucket, type Buckets, sizeRefusal } from '../../buckets/service.ts';
import { uploadPrefix } from '../../files/service.ts';
import type { UploadSessionRow } from '../tables.ts';
import * as store from './store.ts';

/** What every upload needs to begin. */
export type UploadDeps = {
  database: Database;
  objects: Pick<ObjectStore, 'requireSpace'>;
  clock: Clock;
  buckets: Pick<Buckets, 'quotas'>;
  regionRouter: RegionRouter;
};

type Reservation = { prefix: string; bytes: number; leastBytes: number; deleteAt: number };

/**
 * Reserves the bytes of a new upload, in one commit with `insertions`. The deletion of its objects is scheduled
 * at once, and ended by the commit that makes it a file. Throws storage-full, quota-exceeded, too-large and bucket-full.
 * @param reservation.leastBytes how long the file is at least
 */
export async function reserveUpload(
  { database, objects, buckets }: UploadDeps,
  bucket: Bucket,
  { leastBytes, ...reservation }: Reservation,
  insertions: Statement[] = [],
): Promise<void> {
  const refusal = sizeRefusal(bucket, leastBytes);
  if (refusal) throw refusal;
  await objects.requireSpace(reservation.prefix, reservation.bytes);
  const reserving = await buckets.quotas.reservation(bucket.user_id, reservation);
  await database.batch([...reserving, ...insertions]);
}

/** Whose an upload is; tus clients give it no id of theirs. */
type Owner = Omit<store.UploadOwner, 'clientId'> & { clientId: string | null };

/** What a new upload has of its own. */
type NewUpload = Pick<UploadSessionRow, 'id' | 'protocol'> & Partial<UploadSessionRow>;

/** Returns the row of a new upload. */
export const newUpload = (
  { bucketId, uploader, clientId }: Owner,
  now: number,
  own: NewUpload & { prefix: string },
): UploadSessionRow => ({
  bucket_id: bucketId,
  uploader,
  client_id: clientId,
  metadata: '{}',
  thumbnail: null,
  total_parts: null,
  length: null,
  received: 0,
  file_id: null,
  touched_at: 0,
  created_at: now,
  expires_at: now + UPLOAD_TTL_MS,
  path: null,
  ...own,
});

/**
 * Inserts an upload with the reservation of its bytes. Throws storage-full, quota-exceeded, too-large, bucket-full,
 * and what `otherwise` returns where another request has inserted one with its client's id.
 */
export async function createUpload(
  deps: UploadDeps,
  bucket: Bucket,
  owner: Owner,
  { bytes, leastBytes = bytes, ...own }: NewUpload & { bytes: number; leastBytes?: number },
  otherwise?: () => unknown,
): Promise<UploadSessionRow> {
  const { database, clock, regionRouter } = deps;
  const prefix = uploadPrefix(regionRouter(bucket.region).root, own.id);
  const upload = newUpload(owner, clock(), { ...own, prefix });
  const reservation = { prefix, bytes, leastBytes, deleteAt: upload.expires_at + HOUR };
  const insertions = store.uploadInsertions(database.db, upload, otherwise);
  await reserveUpload(deps, bucket, reservation, insertions);
  return upload;
}
