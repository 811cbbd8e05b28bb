import { inlineRead } from '../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../platform/db/port.ts';
import type { FileRow } from '../files/service.ts';
import { clearUpload } from './publication-store.ts';

/** Marks a failed file as being processed again. Returns false where its upload is not kept any more. */
export async function reopenFile(tx: Tx, id: string, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('media')
    .set({ status: 'processing', error: null, retry_until: null })
    .where('file_id', '=', id)
    .where('retry_until', '>', now)
    .executeTakeFirstOrThrow();
  return result.numUpdatedRows === 1n;
}

export type ExpiredUpload = Pick<FileRow, 'id' | 'bucket_id' | 'stored_bytes' | 'created_at'> & {
  /** The prefix of the upload. */
  prefix: string;
};

/** Returns at most `limit` failed files that can't be retried any more, whose uploads are still stored. */
export async function expiredUploads(
  db: Executor,
  now: number,
  limit: number,
): Promise<ExpiredUpload[]> {
  return db
    .selectFrom('media')
    .innerJoin('files', 'files.id', 'media.file_id')
    .innerJoin('blobs', 'blobs.id', 'files.blob_id')
    .select(['files.id', 'files.bucket_id', 'files.stored_bytes', 'files.created_at'])
    .select('blobs.prefix')
    .where('retry_until', '<=', now)
    .where('retry_until', 'is not', null)
    .orderBy('retry_until')
    .limit(limit)
    .$call(inlineRead)
    .execute();
}

/** Notes that the upload of a failed file is deleted. Returns false where somebody else was first. */
export async function dropUpload(tx: Tx, id: string, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('media')
    .set({ retry_until: null })
    .where('file_id', '=', id)
    .where('retry_until', '<=', now)
    .executeTakeFirstOrThrow();
  if (result.numUpdatedRows !== 1n) return false;
  await clearUpload(tx, id);
  return true;
}
