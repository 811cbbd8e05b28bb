import type { Statement } from '../../../platform/db/batch.ts';
import { deleteRows, olderThan } from '../../../platform/db/delete-rows.ts';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { TusPartRow, TusUploadRow } from '../tables.ts';

/** Returns the statement that inserts an upload. */
export const uploadInsertion = (db: Executor, upload: TusUploadRow): Statement => ({
  query: db.insertInto('tus_uploads').values(upload).compile(),
});

/** Returns an upload; undefined where there is none, or it has expired. */
export async function findUpload(
  db: Executor,
  id: string,
  now: number,
): Promise<TusUploadRow | undefined> {
  return db
    .selectFrom('tus_uploads')
    .selectAll()
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .$call(inlineRead)
    .executeTakeFirst();
}

/** Returns an upload, also one that has expired but is not yet deleted. */
export async function findAnyUpload(db: Executor, id: string): Promise<TusUploadRow | undefined> {
  return db
    .selectFrom('tus_uploads')
    .selectAll()
    .where('id', '=', id)
    .$call(inlineRead)
    .executeTakeFirst();
}

export async function setLength(db: Executor, id: string, length: number): Promise<void> {
  await db
    .updateTable('tus_uploads')
    .set({ length })
    .where('id', '=', id)
    .where('length', 'is', null)
    .execute();
}

/**
 * Adds a part at the end of an upload. Returns false where its offset has changed, or it is
 * deleted.
 */
export async function appendPart(tx: Tx, part: TusPartRow): Promise<boolean> {
  const result = await tx
    .updateTable('tus_uploads')
    .set({ received: part.position + part.size })
    .where('id', '=', part.upload_id)
    .where('received', '=', part.position)
    .executeTakeFirstOrThrow();
  if (result.numUpdatedRows !== 1n) return false;
  await tx.insertInto('tus_parts').values(part).execute();
  return true;
}

export async function listParts(db: Executor, id: string): Promise<TusPartRow[]> {
  return db
    .selectFrom('tus_parts')
    .selectAll()
    .where('upload_id', '=', id)
    .orderBy('position')
    .execute();
}

/**
 * Returns the statement that stores the file of a finished upload, and until when it is told. Its guard fails
 * where the upload has one already.
 */
export const completion = (
  db: Executor,
  id: string,
  { fileId, expiresAt }: { fileId: string; expiresAt: number },
  otherwise: () => unknown,
): Statement => ({
  query: db
    .updateTable('tus_uploads')
    .set({ file_id: fileId, expires_at: expiresAt })
    .where('id', '=', id)
    .where('file_id', 'is', null)
    .compile(),
  expect: 1,
  otherwise,
});

/** Deletes an upload that is not finished, and returns whether it was there. */
export async function deleteUpload(tx: Tx, id: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('tus_uploads')
    .where('id', '=', id)
    .where('file_id', 'is', null)
    .executeTakeFirstOrThrow();
  return result.numDeletedRows === 1n;
}

export const forgetUploads = (db: Executor, now: number, signal: AbortSignal) =>
  deleteRows(db, 'tus_uploads', olderThan('expires_at', now), signal);

/** Deletes the rows of at most `limit` uploads of a bucket, and returns them. */
export async function takeUploads(
  tx: Tx,
  bucketId: string,
  limit: number,
): Promise<Pick<TusUploadRow, 'id' | 'file_id' | 'prefix'>[]> {
  const ids = tx
    .selectFrom('tus_uploads')
    .select('id')
    .where('bucket_id', '=', bucketId)
    .limit(limit);
  return tx
    .deleteFrom('tus_uploads')
    .where('id', 'in', ids)
    .returning(['id', 'file_id', 'prefix'])
    .execute();
}
