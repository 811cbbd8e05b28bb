import type { Size } from '../../contract/media.ts';
import { formatSize, parseSize } from '../../contract/resolutions.ts';
import type { Access } from '../../contract/wire.ts';
import type { Statement } from '../../platform/db/batch.ts';
import { deleteRows, olderThan } from '../../platform/db/delete-rows.ts';
import { inlineRead } from '../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../platform/db/port.ts';
import type { UploadChunkRow, UploadRow } from './tables.ts';

/** What identifies an upload: its bucket, its uploader, and the id that the uploader gave it. */
export type UploadOwner = { bucketId: string; uploader: string; clientId: string };

/** Returns an upload; undefined where there is none, or it has expired. */
export async function findUpload(
  db: Executor,
  owner: UploadOwner,
  now: number,
): Promise<UploadRow | undefined> {
  return db
    .selectFrom('uploads')
    .selectAll()
    .where('bucket_id', '=', owner.bucketId)
    .where('uploader', '=', owner.uploader)
    .where('client_id', '=', owner.clientId)
    .where('expires_at', '>', now)
    .$call(inlineRead)
    .executeTakeFirst();
}

/**
 * Returns the statements that insert an upload. Their guard fails where another request has inserted it at the
 * same time.
 */
export const uploadInsertions = (
  db: Executor,
  upload: UploadRow,
  otherwise: () => unknown,
): Statement[] => [
  {
    query: db
      .deleteFrom('uploads')
      .where('bucket_id', '=', upload.bucket_id)
      .where('uploader', '=', upload.uploader)
      .where('client_id', '=', upload.client_id)
      .where('expires_at', '<=', upload.created_at)
      .compile(),
  },
  {
    query: db
      .insertInto('uploads')
      .values(upload)
      .onConflict((conflict) =>
        conflict.columns(['bucket_id', 'uploader', 'client_id']).doNothing(),
      )
      .compile(),
    expect: 1,
    otherwise,
  },
];

/**
 * Locks the row of an upload until the transaction ends, so that its chunks are counted one by one.
 */
export async function touchUpload(
  db: Executor,
  id: string,
  now: number,
): Promise<UploadRow | undefined> {
  return db
    .updateTable('uploads')
    .set({ touched_at: now })
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
}

/** What the form of the first chunk says of a video. */
export type VideoDescription = {
  name: string;
  access: Access;
  /** The requested sizes; an empty list means the size of the source. */
  resolutions: Size[];
  timelinePreview: boolean;
  /** The object key of the thumbnail. */
  thumbnail: string | null;
};

/** Stores the description of an upload. */
export async function describeUpload(
  tx: Tx,
  id: string,
  { name, access, resolutions, timelinePreview, thumbnail }: VideoDescription,
): Promise<void> {
  const resolution = resolutions.map(formatSize).join(',');
  const timeline_preview = timelinePreview ? 1 : 0;
  await tx
    .updateTable('uploads')
    .set({ name, access, resolution, timeline_preview, thumbnail })
    .where('id', '=', id)
    .execute();
}

/** Returns the description that an upload was stored with. */
export const descriptionOf = (row: UploadRow): VideoDescription => ({
  name: row.name,
  access: row.access,
  resolutions: row.resolution.split(',').flatMap((text) => parseSize(text) ?? []),
  timelinePreview: row.timeline_preview === 1,
  thumbnail: row.thumbnail,
});

export async function completeUpload(tx: Tx, id: string, fileId: string): Promise<void> {
  await tx.updateTable('uploads').set({ file_id: fileId }).where('id', '=', id).execute();
}

export async function deleteUpload(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('uploads').where('id', '=', id).execute();
}

/** Deletes an upload that was never touched. Returns false where it was. */
export async function deleteUntouchedUpload(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('uploads')
    .where('id', '=', id)
    .where('touched_at', '=', 0)
    .executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}

export async function findChunk(
  db: Executor,
  uploadId: string,
  number: number,
): Promise<UploadChunkRow | undefined> {
  return db
    .selectFrom('upload_chunks')
    .selectAll()
    .where('upload_id', '=', uploadId)
    .where('number', '=', number)
    .$call(inlineRead)
    .executeTakeFirst();
}

/** Inserts a chunk. Returns false where it has arrived before. */
export async function insertChunk(tx: Tx, chunk: UploadChunkRow): Promise<boolean> {
  const inserted = await chunkInsert(tx, chunk).executeTakeFirstOrThrow();
  return (inserted.numInsertedOrUpdatedRows ?? 0n) === 1n;
}

/** Returns the statement that inserts the chunk of a new upload. */
export const chunkInsertion = (db: Executor, chunk: UploadChunkRow): Statement => ({
  query: chunkInsert(db, chunk).compile(),
});

const chunkInsert = (db: Executor, chunk: UploadChunkRow) =>
  db
    .insertInto('upload_chunks')
    .values(chunk)
    .onConflict((conflict) => conflict.columns(['upload_id', 'number']).doNothing());

export async function listChunks(db: Executor, uploadId: string): Promise<UploadChunkRow[]> {
  return db
    .selectFrom('upload_chunks')
    .selectAll()
    .where('upload_id', '=', uploadId)
    .orderBy('number')
    .execute();
}

export async function countChunks(db: Executor, uploadId: string): Promise<number> {
  const { count } = await db
    .selectFrom('upload_chunks')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('upload_id', '=', uploadId)
    .executeTakeFirstOrThrow();
  return count;
}

export const forgetUploads = (db: Executor, now: number, signal: AbortSignal) =>
  deleteRows(db, 'uploads', olderThan('expires_at', now), signal);

/** Deletes the rows of at most `limit` uploads of a bucket, and returns them. */
export async function takeUploads(
  tx: Tx,
  bucketId: string,
  limit: number,
): Promise<Pick<UploadRow, 'id' | 'file_id' | 'prefix'>[]> {
  const ids = tx.selectFrom('uploads').select('id').where('bucket_id', '=', bucketId).limit(limit);
  return tx
    .deleteFrom('uploads')
    .where('id', 'in', ids)
    .returning(['id', 'file_id', 'prefix'])
    .execute();
}
