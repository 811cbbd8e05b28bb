import type { Statement } from '../../../platform/db/batch.ts';
import { deleteRows, olderThan } from '../../../platform/db/delete-rows.ts';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { UploadSessionRow } from '../tables.ts';

/** What identifies an upload to its client: its bucket, its uploader, and the id that the client gave it. */
export type UploadOwner = { bucketId: string; uploader: string; clientId: string };

/** Returns an upload, also one that has expired but is not yet deleted. */
export async function findUpload(db: Executor, id: string): Promise<UploadSessionRow | undefined> {
  return db
    .selectFrom('upload_sessions')
    .selectAll()
    .where('id', '=', id)
    .$call(inlineRead)
    .executeTakeFirst();
}

/** Returns the upload that a client has given an id; undefined where there is none, or it has expired. */
export async function findClientUpload(
  db: Executor,
  owner: UploadOwner,
  now: number,
): Promise<UploadSessionRow | undefined> {
  return db
    .selectFrom('upload_sessions')
    .selectAll()
    .where('bucket_id', '=', owner.bucketId)
    .where('uploader', '=', owner.uploader)
    .where('client_id', '=', owner.clientId)
    .where('expires_at', '>', now)
    .$call(inlineRead)
    .executeTakeFirst();
}

/**
 * Returns the statements that insert an upload. Their guard fails where another request has inserted one with
 * its client's id at the same time.
 */
export function uploadInsertions(
  db: Executor,
  upload: UploadSessionRow,
  otherwise?: () => unknown,
): Statement[] {
  const { bucket_id, uploader, client_id, created_at } = upload;
  const query = db
    .insertInto('upload_sessions')
    .values(upload)
    .onConflict((conflict) => conflict.columns(['bucket_id', 'uploader', 'client_id']).doNothing())
    .compile();
  const insertion = { query, expect: 1, ...(otherwise && { otherwise }) };
  if (client_id === null) return [insertion];
  const deletion = db
    .deleteFrom('upload_sessions')
    .where('bucket_id', '=', bucket_id)
    .where('uploader', '=', uploader)
    .where('client_id', '=', client_id)
    .where('expires_at', '<=', created_at)
    .compile();
  return [{ query: deletion }, insertion];
}

/** Locks the row of an upload until the transaction ends, so that its chunks are counted one by one. */
export async function touchUpload(
  db: Executor,
  id: string,
  now: number,
): Promise<UploadSessionRow | undefined> {
  return db
    .updateTable('upload_sessions')
    .set({ touched_at: now })
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
}

/** Stores what the first chunk says of a video. */
export async function describeUpload(
  tx: Tx,
  id: string,
  { metadata, thumbnail }: Pick<UploadSessionRow, 'metadata' | 'thumbnail'>,
): Promise<void> {
  await tx
    .updateTable('upload_sessions')
    .set({ metadata, thumbnail })
    .where('id', '=', id)
    .execute();
}

/** Stores the length of an upload that was begun without one. */
export async function setLength(db: Executor, id: string, length: number): Promise<void> {
  await db
    .updateTable('upload_sessions')
    .set({ length })
    .where('id', '=', id)
    .where('length', 'is', null)
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
    .updateTable('upload_sessions')
    .set({ file_id: fileId, expires_at: expiresAt })
    .where('id', '=', id)
    .where('file_id', 'is', null)
    .compile(),
  expect: 1,
  otherwise,
});

/**
 * Deletes an upload that is not finished, and returns whether it was there.
 * @param options.isUntouched deletes it only where it was never touched
 */
export async function deleteUpload(
  tx: Tx,
  id: string,
  { isUntouched = false }: { isUntouched?: boolean } = {},
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('upload_sessions')
    .where('id', '=', id)
    .where('file_id', 'is', null)
    .$if(isUntouched, (query) => query.where('touched_at', '=', 0))
    .executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}

export const deleteExpiredUploads = (db: Executor, now: number, signal: AbortSignal) =>
  deleteRows(db, 'upload_sessions', olderThan('expires_at', now), signal);

/** Deletes the rows of at most `limit` uploads of a bucket, and returns them. */
export async function takeUploads(
  tx: Tx,
  bucketId: string,
  limit: number,
): Promise<Pick<UploadSessionRow, 'id' | 'file_id' | 'prefix'>[]> {
  const ids = tx
    .selectFrom('upload_sessions')
    .select('id')
    .where('bucket_id', '=', bucketId)
    .limit(limit);
  return tx
    .deleteFrom('upload_sessions')
    .where('id', 'in', ids)
    .returning(['id', 'file_id', 'prefix'])
    .execute();
}
